#!/bin/sh
# Installs Debian's chromium for the tests in a browser, where it is missing and this may be done.
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  command -v "$name" >/dev/null 2>&1 && exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  if apt-get update --quiet=2 && DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends chromium >/dev/null; then
    exit 0
  fi
fi
echo "No chromium: the tests in a browser are skipped. On Debian: apt-get install chromium." >&2
