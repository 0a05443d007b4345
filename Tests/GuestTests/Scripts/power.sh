#!/bin/bash
# Boots after a power cut, lets the rig recover, looks it over, and fires until the next cut:
# ./power.sh FOLDER-OF-PROGRAMS. The rig lives on /dev/vda. What the rig said goes to /share, which no cut takes away.
set -u
export PATH=$1:$PATH
share=/share
cycle=$(($(cat $share/cycle 2>/dev/null || echo 0) + 1))
echo $cycle >$share/cycle
modprobe ext4 || exit 1
mkdir -p /tmp/disk
mount -t ext4 /dev/vda /tmp/disk 2>/dev/null || { mkfs.ext4 -q /dev/vda && mount -t ext4 /dev/vda /tmp/disk; } || exit 1
cd /tmp/disk || exit 1

if [ ! -f ready ]; then
    mkdir -p nodes operators library
    for name in coordinator operator cam-0 cam-1; do volley keygen "$name" 2>/dev/null >/dev/null; done
    cp operator.pub operators/
    cp cam-0.pub cam-1.pub nodes/
    cat >volley.yaml <<EOF
coordinator: 127.0.0.1:5671
key: $PWD/operator.key
coordinatorKey: $PWD/coordinator.pub
EOF
    cat >coordinator.yaml <<EOF
key: $PWD/coordinator.key
nodes: $PWD/nodes
operators: $PWD/operators
library: $PWD/library
EOF
    for n in 0 1; do
        cat >"cam-$n.yaml" <<EOF
name: cam-$n
camera: v4l2:/dev/video$n
coordinator: 127.0.0.1:5670
key: $PWD/cam-$n.key
coordinatorKey: $PWD/coordinator.pub
spool: $PWD/spool-$n
format: {pixelFormat: YUYV, width: 320, height: 180, frameRate: 10}
EOF
    done
    printf 'name: power\nbracket: {burst: 5}\nformats: [jpeg]\npolicy: bestEffort\n' >power.yaml
    sync
    touch ready
    sync
fi
rig() { volley "$1" --config "$PWD/volley.yaml" "${@:2}"; }

volley-coordinator --config coordinator.yaml 2>"$share/coordinator-$cycle.log" &
for n in 0 1; do volley-node --config "cam-$n.yaml" 2>"$share/cam-$n-$cycle.log" & done
over() {
    rig nodes --json >now.json 2>/dev/null
    [ "$(grep -c '"state" : "ready"' now.json)" = 2 ] || return 1
    rig captures --json --limit 1000 >captures.json 2>/dev/null || return 1
    ! grep -qE '"state" : "(preparing|firing|collecting)"' captures.json
}
for _ in $(seq 120); do over && break; sleep 0.5; done
over || { rig nodes; rig captures; echo "the rig did not recover"; exit 1; }
cp captures.json "$share/captures-$cycle.json"
volley verify library >"$share/verify-$cycle.txt" 2>&1
echo $? >"$share/verify-$cycle.status"
[ -f $share/last ] && exit 0

rig watch --jsonl >"$share/watch-$cycle.jsonl" 2>"$share/watch-$cycle.err" &
sleep 1
# Until the power is cut.
while true; do
    rig fire power.yaml --wait >>"$share/fired-$cycle.txt" 2>&1
    sleep 0.1
done
