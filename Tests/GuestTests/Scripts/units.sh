#!/bin/bash
# Installs the units as an operator would, and fires under systemd: ./units.sh FOLDER-OF-PROGRAMS.
# What it saw is left beside it, for the test.
set -u
export PATH=$1:$PATH
share=/share
# Not every machine that tests are run on has it.
printf '127.0.0.1 localhost\n::1 localhost\n' >/etc/hosts
ln -s "$1/volley" "$1/volley-coordinator" "$1/volley-node" "$1/volley-console" /usr/bin/
cp $share/systemd/*.service /etc/systemd/system/
mkdir -p /etc/sysusers.d && cp $share/systemd/volley.sysusers /etc/sysusers.d/volley.conf && systemd-sysusers || exit 1

mkdir -p /etc/volley && cd /etc/volley || exit 1
volley keygen operator >/dev/null 2>&1
sed "s|^listen:.*|listen: \"*\"|" $share/examples/coordinator.yaml >coordinator.yaml
sed -e 's|^# name:.*|name: board|' -e 's|^coordinator:.*|coordinator: localhost:5670|' \
    -e 's|^# camera:.*|camera: v4l2:/dev/video0|' $share/examples/node.yaml >node.yaml
printf 'format: {pixelFormat: YUYV, width: 320, height: 180, frameRate: 10}\n' >>node.yaml
printf 'controls: {brightness: 77, horizontal_flip: 1}\nlight: input0::capslock\n' >>node.yaml
sed -e 's|^name:.*|name: second|' -e 's|^camera:.*|camera: simulated:5|' \
    -e 's|^spool:.*|spool: /var/lib/volley-node-second|' -e '/^format:/d' -e '/^controls:/d' -e '/^light:/d' node.yaml >node-second.yaml
# Where the units keep their state, and the keys that they make.
state=/var/lib/volley-coordinator
printf 'key: %s\ncoordinatorKey: %s\n' "$PWD/operator.key" $state/coordinator.pub >/tmp/volley.yaml
printf 'bracket: {burst: 3}\nlead: 2s\n' >/tmp/burst.yaml
rig() { volley "$1" --config /tmp/volley.yaml "${@:2}"; }
finish() {
    for unit in coordinator node; do
        systemctl show volley-$unit -p ActiveState,NRestarts,User >$share/$unit.state
    done
    systemctl stop volley-node volley-coordinator; echo $? >$share/stop.status
    journalctl --sync
    for unit in coordinator node; do journalctl --no-pager --output=cat -u volley-$unit >$share/$unit.log; done
    # With what the journal made of each line.
    journalctl --no-pager --output=json --output-fields=PRIORITY,MESSAGE,_SYSTEMD_UNIT,VOLLEY_NODE,VOLLEY_CAPTURE,SYSLOG_IDENTIFIER >$share/journal.jsonl
    rm -rf $share/bin
}
trap finish EXIT
ready() {
    for _ in $(seq 60); do
        rig nodes --json 2>/dev/null | grep -q '"state" : "ready"' && return 0
        sleep 0.5
    done
    rig nodes
    return 1
}

# What udev does on a board.
chgrp video /dev/video* /dev/media* && chmod 660 /dev/video* /dev/media*
light=/sys/class/leds/input0::capslock
chown volley $light/{brightness,trigger} || exit 1
systemd-analyze verify /etc/systemd/system/volley-*.service >$share/verify.txt 2>&1
systemctl start volley-coordinator || exit 1
cp operator.pub $state/operators/
# join UNIT NAME
join() {
    install -d -o volley -g volley /var/lib/$1
    install -o volley -g volley $state/coordinator.pub /var/lib/$1/
    systemctl start "${1/node-/node@}" && cp /var/lib/$1/node.pub $state/nodes/$2.pub
}
join volley-node board || exit 1
ready || exit 1
stat -c '%U %a %n' $state/* /var/lib/volley-node/node.* >$share/keys.txt
rig fire /tmp/burst.yaml --wait --json >$share/burst.json; echo $? >$share/burst.status
v4l2-ctl -d "$(sed -n 's/^camera: v4l2:\([^ ]*\).*/\1/p' node.yaml)" --get-ctrl brightness,horizontal_flip \
    >$share/controls.txt
# The light is the kernel's own, of the machine's keyboard.
# The node looks for one every few seconds.
for _ in $(seq 20); do
    ! volley nodes identify board --for 3s --config /tmp/volley.yaml 2>$share/identify.txt || break
    sleep 1
done
for _ in $(seq 20); do cat $light/brightness; sleep 0.1; done | sort -u >$share/light.txt
sleep 3
cat $light/trigger >$share/trigger.txt
words() { systemctl show "volley-$1" -p StatusText --value; }
for _ in $(seq 60); do
    [[ $(words coordinator) != '1 of 1 nodes ready' || $(words node) != *' ready' ]] || break
    sleep 0.5
done
for unit in coordinator node; do words $unit >$share/$unit.words; done

# An exporter that may only watch, and is asked as Prometheus would.
volley keygen metrics >/dev/null 2>&1 && cp metrics.pub $state/watchers/
systemctl start volley-metrics || exit 1
for _ in $(seq 60); do
    python3 -c 'import urllib.request as u; print(u.urlopen("http://127.0.0.1:9670/metrics").read().decode())' \
        >$share/metrics.txt 2>/dev/null && break
    sleep 0.5
done
systemctl stop volley-metrics
systemctl show volley-metrics -p Result --value >$share/metrics.result
journalctl --no-pager --output=cat -u volley-metrics >$share/metrics.log

# Pages, by an operator of their own, who reads the photos where they lie.
volley keygen console >/dev/null 2>&1 && cp console.pub $state/operators/
systemctl start volley-console || exit 1
for _ in $(seq 60); do
    link=$(volley console link 2>/dev/null) && break
    sleep 0.5
done
python3 - "$link" $share/burst.json >$share/console.txt 2>&1 <<'END'
import json, sys, urllib.request
browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
print(browser.open(sys.argv[1]).read().decode())
id = json.load(open(sys.argv[2]))["uniqueID"]
print("bytes of a photo:", len(browser.open(f"http://127.0.0.1:5680/captures/{id}/photos/board/1").read()))
END
systemctl stop volley-console
systemctl show volley-console -p Result --value >$share/console.result
journalctl --no-pager --output=cat -u volley-console >$share/console.log

# A board's second camera, and one whose configuration is missing.
join volley-node-second second || exit 1
for _ in $(seq 60); do
    [[ $(rig nodes --json | grep -c '"state" : "ready"') != 2 ]] || break
    sleep 0.5
done
rig nodes --json >$share/second.json
systemctl stop volley-node@second && rm $state/nodes/second.pub
systemctl start volley-node@absent
systemctl stop volley-node@absent

# A clock that somebody keeps, as chrony would say so; the sandbox lets the daemons ask.
python3 - <<'PYTHON'
import ctypes
ADJ_MAXERROR, ADJ_STATUS = 0x0004, 0x0010
class Timex(ctypes.Structure):
    _fields_ = [("modes", ctypes.c_uint), ("offset", ctypes.c_long), ("freq", ctypes.c_long),
                ("maxerror", ctypes.c_long), ("esterror", ctypes.c_long), ("status", ctypes.c_int),
                ("rest", ctypes.c_char * 256)]
timex = Timex(modes=ADJ_MAXERROR | ADJ_STATUS, maxerror=150, status=0)
assert ctypes.CDLL(None).adjtimex(ctypes.byref(timex)) >= 0
PYTHON
echo 'clock: system' >>node.yaml
# One address instead of all.
sed -i 's|^listen:.*|listen: 127.0.0.1|' coordinator.yaml
systemctl restart volley-coordinator volley-node || exit 1
sleep 1
ready || exit 1
rig clocks --json >$share/clocks.json
for daemon in coordinator node; do volley-$daemon doctor >$share/$daemon.doctor 2>&1; done
rig fire /tmp/burst.yaml --wait --json >$share/kept.json; echo $? >$share/kept.status

# The camera's thread hangs in a call that does not return: the watchdog is to see that, and the next start is well.
mkdir -p /etc/systemd/system/volley-node.service.d
hang=/etc/systemd/system/volley-node.service.d/hang.conf
printf '[Service]\nWatchdogSec=10\nEnvironment=VOLLEY_FAILPOINT=frameArrived:30:hang\n' >$hang
systemctl daemon-reload && systemctl restart volley-node || exit 1
for _ in $(seq 120); do
    [[ $(systemctl show volley-node -p NRestarts --value) == 0 ]] || break
    sleep 0.5
done
systemctl show volley-node -p NRestarts --value >$share/hung.restarts
journalctl --no-pager --output=cat -u volley-node --since '-70s' >$share/hung.log
rm $hang && systemctl daemon-reload && systemctl restart volley-node || exit 1
ready || exit 1
rig fire /tmp/burst.yaml --wait --json >$share/after.json; echo $? >$share/after.status

# Root learns a camera by hand, and the node goes on in the same folder.
systemctl stop volley-node || exit 1
volley-node calibrate simulated:7 --config node.yaml >/dev/null || exit 1
find /var/lib/volley-node -printf '%u %f\n' >$share/profiles.txt
systemctl start volley-node || exit 1
ready || exit 1

# The studio's group reads the photos, others do not.
printf 'u retoucher -\nm retoucher volley\nu stranger -\n' >/etc/sysusers.d/studio.conf && systemd-sysusers
photo=$(find /var/lib/volley/photos -name '*.jpg' | head -n 1)
for user in retoucher stranger; do
    setpriv --reuid $user --regid $user --init-groups head -c 2 "$photo" 2>/dev/null | od -An -tx1 >$share/$user.read
done

# A board whose root is read-only, with a spool on its own that somebody has filled. Each folder by itself, as the
# machine's other services write to the root.
systemctl stop volley-node volley-coordinator
cp -a /var/lib/volley-node /tmp/spool
for folder in etc usr var; do mount --bind /$folder /$folder; done
for folder in volley volley-coordinator; do mount --bind /var/lib/$folder /var/lib/$folder; done
mount -t tmpfs -o size=64M,mode=750,uid=$(id -u volley),gid=$(id -g volley) tmpfs /var/lib/volley-node
cp -a /tmp/spool/. /var/lib/volley-node/
for folder in etc usr var; do mount -o remount,bind,ro /$folder || exit 1; done
! touch /etc/x /var/lib/x 2>/dev/null || exit 1
dd if=/dev/zero of=/var/lib/volley-node/fill bs=64k 2>/dev/null
systemctl start volley-coordinator volley-node || exit 1
for _ in $(seq 60); do
    ! rig nodes --json 2>/dev/null | grep -q '"state" : "spoolFull"' || break
    sleep 0.5
done
rig fire /tmp/burst.yaml --wait >$share/full.txt 2>&1; echo $? >$share/full.status
rm /var/lib/volley-node/fill
ready || exit 1
rig fire /tmp/burst.yaml --wait --json >$share/readonly.json; echo $? >$share/readonly.status
