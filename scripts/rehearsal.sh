#!/usr/bin/env bash
# scripts/rehearsal.sh [MINUTES]: rehearses a match on the page in Chromium, with MINUTES for each side (default: 1), an
# operator's mistakes, a reload and a crash. Fails without Chromium, and unless the saved record contains exactly the moves
# played.
set -euo pipefail
cd "$(dirname "$0")/.."

# With CI set, a missing browser fails a test instead of skipping it.
CI=1 OTRERA_REHEARSAL=${1:-1} cargo test --locked -p otrera-bot --test all match_mode::a_rehearsal -- --ignored --nocapture
