#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_setuid.sh COMMAND FOLDER: with another's rights `weir codecs` doesn't look into
# WEIR_PLUGIN_PATH=FOLDER, which has the plugin `first`. Needs root, to make such a program.
set -eu
if [ "$(id -u)" != 0 ]; then
    echo "skipped: only root can make a program with another's rights"
    exit 77
fi
program=$1.setuid
trap 'rm -f "$program"' EXIT
cp "$1" "$program"
export WEIR_PLUGIN_PATH="$2"
"$program" codecs | grep -q '^first ' || { echo "plain: first isn't listed"; exit 1; }
chown 65534 "$program"
chmod 4755 "$program"
listed=$("$program" codecs 2>&1) || true
case $listed in
*first*)
    echo "with another's rights WEIR_PLUGIN_PATH was searched:"
    echo "$listed"
    exit 1
    ;;
esac
echo "first is listed without, and not with another's rights"
