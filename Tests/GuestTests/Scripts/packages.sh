#!/bin/bash
# Installs, upgrades, downgrades, removes and purges the packages beside it: ./packages.sh
set -u
share=/share
source $share/checks.sh
version() { dpkg-query -W -f '${Version}' volley-node; }
active() { systemctl is-active --quiet "$1"; }
ready() { volley nodes --config /tmp/me.yaml --json 2>/dev/null | grep -q '"state" : "ready"'; }
fires() { volley fire /tmp/burst.yaml --config /tmp/me.yaml --wait >/dev/null; }
ended() { volley show "$1" --config /tmp/me.yaml --json | grep -Eq '"state" : "(complete|partial|failed)"'; }
ours() { # every library that a program needs is some package's
    local library
    for library in $(ldd "/usr/bin/$1" | awk '$3 ~ /^\// { print $3 }'); do
        # Packages name files in /lib, to which /usr/lib is merged.
        dpkg -S "*/${library##*/}" >/dev/null 2>&1 || { echo "$1 needs $library"; return 1; }
    done
}
printf '127.0.0.1 localhost board\n' >/etc/hosts
hostname board
printf 'bracket: {burst: 3}\nlead: 3s\n' >/tmp/burst.yaml
printf 'bracket: {burst: 30}\nlead: 3s\n' >/tmp/long.yaml

begun=$SECONDS
get install $share/old/*.deb || exit 1
check "installed" test "$(version)" = 0.0.1
for program in volley volley-node volley-coordinator; do check "$program needs only what Debian has" ours $program; done
for unit in node coordinator; do check "volley-$unit is enabled" systemctl is-enabled --quiet volley-$unit; done
check "the coordinator runs" within 30 active volley-coordinator
check "a manual for a subcommand" man -w volley-fire
check "what is in /etc belongs to the administrator" \
    test "$(dpkg-query -W -f '${Conffiles}\n' volley-node volley-coordinator | grep -c /etc/volley/)" = 2

state=/var/lib/volley-coordinator
(cd /tmp && volley keygen me >/dev/null 2>&1 && cp me.pub $state/administrators/)
printf 'key: /tmp/me.key\ncoordinatorKey: %s\n' $state/coordinator.pub >/tmp/me.yaml
# One line for a board; nobody restarts it, or copies a key.
sed -i 's/^coordinator: .*/coordinator: localhost/' /etc/volley/node.yaml
echo 'camera: v4l2:/dev/video0' >>/etc/volley/node.yaml
echo 'light: input0::capslock' >>/etc/volley/node.yaml
echo 'format: {pixelFormat: YUYV, width: 320, height: 180, frameRate: 10}' >>/etc/volley/node.yaml
pending() { volley nodes pending --config /tmp/me.yaml --json | grep -q '"name" : "board"'; }
systemctl restart volley-node
check "the board asks to join" within 30 pending
words=$(volley nodes pending --config /tmp/me.yaml --json | sed -n 's/.*"words" : "\(.*\)".*/\1/p')
shows() { systemctl status volley-node | grep -q "$words"; }
check "the board shows the same words" within 10 shows
check "it is admitted" volley nodes admit "$words" --config /tmp/me.yaml
check "the node joins" within 120 ready
check "the node goes by the host's name" grep -q '"name" : "board"' <(volley nodes --config /tmp/me.yaml --json)
check "the first capture" fires
blinks() {
    volley nodes identify board --for 5s --config /tmp/me.yaml || return 1
    local seen
    seen=$(for _ in $(seq 40); do cat /sys/class/leds/input0::capslock/brightness; sleep 0.1; done | sort -u | wc -l)
    ((seen == 2))
}
echo "From the first command to the first complete capture it took $((SECONDS - begun)) s."
check "its light blinks" within 20 blinks

check "the board's doctor finds the coordinator" grep -q 'listens at localhost:5670' <(volley-node doctor)
check "the coordinator's doctor finds its rig" grep -q '1 node; people: 1' <(volley-coordinator doctor)
scraped() (
    exec 3<>/dev/tcp/127.0.0.1/9670 || return 1
    printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3
    grep -q 'volley_node_up{node="board"} 1' <&3
) 2>/dev/null
check "the exporter waits for a key" test "$(systemctl is-enabled volley-metrics)" = disabled
volley keygen /etc/volley/metrics 2>/dev/null
volley operators add metrics /etc/volley/metrics.pub --role watch --config /tmp/me.yaml
systemctl enable --now volley-metrics 2>/dev/null
check "the exporter answers" within 30 scraped

check "what the coordinator is, is copied" volley-coordinator backup /tmp/saved
systemctl stop volley-coordinator
rm -rf $state
check "and put back" volley-coordinator restore /tmp/saved
systemctl start volley-coordinator
check "the board follows" within 120 ready
check "the state is the service's" test "$(stat -c %U $state/coordinator.key)" = volley
check "a capture after the move" fires

id=$(volley fire /tmp/long.yaml --config /tmp/me.yaml)
get install $share/new/*.deb || failures=$((failures + 1))
check "upgraded" test "$(version)" != 0.0.1
check "the configuration stays" grep -q '^coordinator: localhost' /etc/volley/node.yaml
check "the node is back" within 120 ready
check "the capture fired before the upgrade ends" within 120 ended "$id"
volley show "$id" --config /tmp/me.yaml | head -n 5
check "a capture after the upgrade" fires
check "the exporter answers after it" within 60 scraped

get install --allow-downgrades $share/old/*.deb || failures=$((failures + 1))
check "downgraded" test "$(version)" = 0.0.1
check "the node is back" within 120 ready
check "a capture after the downgrade" fires

get remove volley-node || failures=$((failures + 1))
check "removed" test ! -e /usr/bin/volley-node
check "its configuration and key stay" test -e /etc/volley/node.yaml -a -e /var/lib/volley-node/node.key
get install $share/new/volley-node_*.deb || failures=$((failures + 1))
check "the same node is back" within 120 ready

rm /etc/volley/metrics.*
mkdir /var/lib/volley-node/1700000000000000
get purge volley-node volley-coordinator volley || failures=$((failures + 1))
check "the exporter has ended" test "$(systemctl is-active volley-metrics)" != active
check "purged" test ! -e /etc/volley -a ! -e $state -a ! -e /lib/systemd/system/volley-node.service
check "photos that no coordinator has are kept" test -d /var/lib/volley-node/1700000000000000
check "the library is kept" test -s /var/lib/volley/catalogue.sqlite
get install $share/new/volley-coordinator_*.deb || failures=$((failures + 1))
check "a new coordinator runs with the library that is there" within 60 active volley-coordinator
((failures == 0)) || journalctl --no-pager -n 60 -u 'volley-*'
exit $((failures > 0))
