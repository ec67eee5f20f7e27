//! Parts of a JSON text, read one by one: a large log is never held as a whole.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// Returns the values of these fields of an object; `None` for each if the text is no object.
pub fn fields<'a, const N: usize>(json: &'a str, names: [&str; N]) -> [Option<&'a RawValue>; N] {
    let mut found = [None; N];
    let fields = Fields { names: &names, found: &mut found };
    // A damaged object has the fields before the damage.
    let _ = fields.deserialize(&mut serde_json::Deserializer::from_str(json));
    found
}

/// Calls a function with each element of an array; with none if the text is no array.
pub fn each<'a>(json: &'a str, task: impl FnMut(&'a RawValue)) {
    let _ = Each(task).deserialize(&mut serde_json::Deserializer::from_str(json));
}

/// Calls a function with each key and value of an object; with none if the text is no object.
pub fn entries<'a>(json: &'a str, task: impl FnMut(Cow<'a, str>, &'a RawValue)) {
    let _ = Entries(task).deserialize(&mut serde_json::Deserializer::from_str(json));
}

struct Entries<F>(F);

impl<'a, F: FnMut(Cow<'a, str>, &'a RawValue)> DeserializeSeed<'a> for Entries<F> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'a, F: FnMut(Cow<'a, str>, &'a RawValue)> Visitor<'a> for Entries<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<Cow<'a, str>>()? {
            (self.0)(name, map.next_value()?);
        }
        Ok(())
    }
}

struct Fields<'n, 'f, 'a> {
    names: &'n [&'n str],
    found: &'f mut [Option<&'a RawValue>],
}

impl<'a> DeserializeSeed<'a> for Fields<'_, '_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for Fields<'_, '_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<Cow<'a, str>>()? {
            match self.names.iter().position(|known| *known == name) {
                Some(index) => self.found[index] = Some(map.next_value()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

struct Each<F>(F);

impl<'a, F: FnMut(&'a RawValue)> DeserializeSeed<'a> for Each<F> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'a, F: FnMut(&'a RawValue)> Visitor<'a> for Each<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'a>>(mut self, mut sequence: A) -> Result<(), A::Error> {
        while let Some(part) = sequence.next_element()? {
            (self.0)(part);
        }
        Ok(())
    }
}
