//! Whole numbers.

use crate::errors::value_error;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use std::fmt;

/// A whole number as Python code gives it, of any size and sign. PyO3 would refuse one that does not fit the type of an
/// argument by OverflowError, which is no ValueError. Numbers beyond 127 bits are cut to them.
#[derive(Clone, Copy)]
pub struct Whole(pub i128);

impl<'py> FromPyObject<'_, 'py> for Whole {
    type Error = PyErr;

    fn extract(number: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match number.extract::<i128>() {
            Err(error) if error.is_instance_of::<PyOverflowError>(number.py()) => {
                Ok(Self(if number.lt(0)? { i128::MIN } else { i128::MAX }))
            }
            whole => whole.map(Self),
        }
    }
}

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Whole {
    /// Returns the number if it fits a type.
    pub fn fit<T: TryFrom<i128>>(self) -> Option<T> {
        self.0.try_into().ok()
    }

    /// Returns the number; raises ValueError unless it is from `least` to `most`.
    pub fn of<T>(self, name: &str, least: T, most: T) -> PyResult<T>
    where
        T: TryFrom<i128> + PartialOrd + fmt::Display + Copy,
    {
        self.fit().filter(|number| (least..=most).contains(number)).ok_or_else(|| {
            value_error(format!("{name}={self}: expected a whole number from {least} to {most}"))
        })
    }
}
