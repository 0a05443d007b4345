#!/bin/bash
# Runs a rig of four virtual USB cameras, each behind a transport of its own: ./uvc-rig.sh FOLDER-OF-PROGRAMS. When each
# exposure really began its picture says, on the clock that all of them share.
set -u
export PATH=$1:$PATH
share=/share
cd "$(mktemp -d)" || exit 1
export HOME=$PWD
modprobe vhci-hcd && modprobe uvcvideo || exit 1
mkdir nodes operators library
volley keygen coordinator 2>/dev/null >/dev/null
volley keygen operator 2>/dev/null >/dev/null
cp operator.pub operators/
cat >volley.yaml <<EOF
coordinator: 127.0.0.1:5671
key: $PWD/operator.key
coordinatorKey: $PWD/coordinator.pub
EOF
rig() { volley "$1" --config "$PWD/volley.yaml" "${@:2}"; }
cat >coordinator.yaml <<EOF
key: $PWD/coordinator.key
nodes: $PWD/nodes
operators: $PWD/operators
library: $PWD/library
EOF

programs=()
finish() {
    kill "${programs[@]}" "${nodes[@]}" 2>/dev/null
    wait "${programs[@]}" "${nodes[@]}"
    cp -r library $share/library
    rm -rf $share/bin
}
trap finish EXIT

cameras=("" "--latency 4 --jitter 4" "--latency 40 --exposes-late" "--jitter 30 --exposes-late")
stamped=(start start end start)
for n in 0 1 2 3; do
    mkfifo "commands-$n"
    # A camera keeps its pace, whatever the machine is busy with.
    # shellcheck disable=SC2086
    nice -n -20 volley-uvc-camera --serial "USB-$n" --seed "$n" --commands "commands-$n" \
        --clock "exposure-${stamped[$n]}" ${cameras[$n]} >"$share/usb-$n.log" 2>&1 &
    programs+=($!)
    volley keygen "cam-$n" 2>/dev/null >/dev/null
    cp "cam-$n.pub" nodes/
    cat >"cam-$n.yaml" <<EOF
name: cam-$n
camera: v4l2:USB-$n
coordinator: 127.0.0.1:5670
key: $PWD/cam-$n.key
coordinatorKey: $PWD/coordinator.pub
spool: $PWD/spool-$n
profiles: $PWD/profiles
format: {pixelFormat: YUYV, width: 320, height: 180, frameRate: 2}
EOF
done
plugged() { [ "$(volley-node cameras | grep -c 'serial USB-')" = 4 ]; }
for _ in $(seq 100); do plugged && break; sleep 0.2; done
plugged || { echo "the four cameras are not plugged in"; exit 1; }
# One camera learns for all of its model, faster than they are to fire.
sed 's/frameRate: 2/frameRate: 5/' cam-0.yaml >fast.yaml
volley-node calibrate v4l2:USB-0 --config fast.yaml --json >$share/profile.json 2>$share/calibrate.err || exit 1

volley-coordinator --config coordinator.yaml 2>$share/coordinator.log &
programs+=($!)
nodes=()
start_nodes() {
    for n in 0 1 2 3; do
        volley-node --config "cam-$n.yaml" 2>>"$share/cam-$n.log" &
        nodes+=($!)
    done
}
start_nodes
ready() {
    rig nodes --json >now.json 2>/dev/null
    [ "$(grep -c '"state" : "ready"' now.json)" = 4 ]
}
await_nodes() {
    for _ in $(seq 120); do ready && return; sleep 0.5; done
    rig nodes
    echo "the four cameras did not become ready"
    exit 1
}
await_nodes
# The streams begin anew until their frames lie on the rig's grid.
sleep 10

# An emulated machine may be busy for longer than the coordinator expects: orders go out early.
cat >steps.yaml <<EOF
name: steps
bracket: {manualExposure: [{duration: 1/500}, {duration: 1/125}, {duration: 1/30}]}
policy: all
lead: 2s
EOF
shoot() {
    rig fire "$1.yaml" --wait --json >"$share/shot-$2.json" 2>"$share/shot-$2.err"
    echo $? >"$share/shot-$2.status"
}
shoot steps 1

# A lamp in view of all shows what their stamps do not.
for n in 0 1 2 3; do echo 'lamp 3000' >"commands-$n"; done
rig test-sync --exposure 480ms --frames 50 --rounds 2 --keep --json >$share/lamp.json 2>$share/lamp.err; echo $? >$share/lamp.status
for n in 0 1 2 3; do echo 'lamp 0' >"commands-$n"; done
# Frames that are seen to lie elsewhere now are brought onto the grid.
sleep 20
cat >close.yaml <<EOF
name: close
bracket: {manualExposure: [{duration: 430ms}, {duration: 440ms}, {duration: 450ms}]}
policy: all
lead: 2s
maxSpread: 1200ms
verify: false
EOF
shoot close 2
shoot close 3

# What their own clocks stamp, once somebody has said so.
kill "${nodes[@]}"
wait "${nodes[@]}"
nodes=()
for n in 0 1 2 3; do
    echo "timing: {presentationTime: ${stamped[$n]}OfExposure, readout: 0ms}" >>"cam-$n.yaml"
done
gone() { [ "$(rig nodes --json | grep -c '"state" : "unreachable"')" = 4 ]; }
for _ in $(seq 60); do gone && break; sleep 0.5; done
start_nodes
await_nodes
# A clock is known after twenty frames and believed after ten more, of the last stream that was begun for the grid.
sleep 45
sed -i '/maxSpread/d' close.yaml
shoot close 4
