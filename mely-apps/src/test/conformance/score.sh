#!/bin/sh
# Scores SWS and nginx with the conformance suite and writes docs/conformance.md. After mvn package (for sws.jar and the classes):
#
#   mely-apps/src/test/conformance/score.sh [PAGE]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
apps=$(cd "$here/../../.." && pwd)
page=${1:-$apps/../docs/conformance.md}
work=$(mktemp -d)
suite() { java -cp "$apps/target/test-classes" io.mely.sws.conformance.Conformance "$@"; }

suite site "$work" > /dev/null
chmod -R a+rX "$work"
mkdir "$work/logs"
nginx -p "$work" -c "$here/nginx.conf" -e "$work/error.log" -g 'daemon off;' &
nginx=$!
java -jar "$apps/target/sws.jar" "$work/root" --config "$here/sws.conf" > "$work/sws.out" &
sws=$!
trap 'kill $nginx $sws; wait $nginx $sws || true; rm -rf "$work"' EXIT
until grep -q listening "$work/sws.out" && [ -s "$work/nginx.pid" ]; do
    kill -0 $nginx && kill -0 $sws
    sleep 0.1
done
suite report "$page" "SWS=127.0.0.1:18080" "nginx=127.0.0.1:18081"
# The page has nginx's failures in groups, by hand; suite run lists them one by one.
sed -i '/^## What nginx fails/,/^<!-- end/{/^<!-- end/!d}' "$page"
