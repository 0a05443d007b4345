#!/bin/bash
# Uses a virtual USB camera through the kernel's uvcvideo as an operator would: ./uvc-operator.sh FOLDER-OF-PROGRAMS. What it
# saw is left beside it.
set -u
export PATH=$1:$PATH HOME=/tmp/home
share=/share
mkdir -p $HOME
modprobe vhci-hcd
modprobe uvcvideo
cd "$(mktemp -d)" || exit 1
mkfifo commands
volley-uvc-camera --serial BY-HAND --exposure-delay 1 --commands commands >$share/camera.log 2>&1 &
camera=$!
trap 'kill $camera; rm -rf $share/bin' EXIT
for _ in $(seq 100); do
    volley-node cameras --json >$share/cameras.json 2>/dev/null
    grep -q BY-HAND $share/cameras.json && break
    sleep 0.2
done
volley-node cameras >$share/cameras.txt
cat >camera.yaml <<EOF
camera: v4l2:BY-HAND
format: {pixelFormat: YUYV, width: 320, height: 180, frameRate: 10}
EOF
volley-node calibrate v4l2:BY-HAND --config camera.yaml --json >$share/profile.json 2>$share/calibrate.err
echo $? >$share/calibrate.status
cat >plan.yaml <<EOF
name: by-hand
bracket: {manualExposure: [{duration: 1/500}, {duration: 1/125}, {duration: 1/30}]}
EOF
volley-node shoot plan.yaml --config camera.yaml --output $share/photos >$share/shoot.jsonl 2>$share/shoot.err
echo $? >$share/shoot.status
printf 'bracket: {manualExposure: [{duration: 2}]}\n' >long.yaml
volley-node shoot long.yaml --config camera.yaml >$share/long.jsonl 2>$share/long.err
echo $? >$share/long.status
volley-node shoot plan.yaml --camera v4l2:NOBODY >$share/nobody.jsonl 2>$share/nobody.err
echo $? >$share/nobody.status
# What the kernel tells of the camera's bus, and what comes of following the advice.
{ cat camera.yaml; printf 'coordinator: 127.0.0.1:9\nspool: /dev/shm/spool\n'; } >doctor.yaml
volley-node doctor --config doctor.yaml >$share/doctor.txt 2>&1; echo $? >$share/doctor.status
sed -n 's/.*by hand: //p' $share/doctor.txt >advice.sh
[ -s advice.sh ] && sh advice.sh
volley-node doctor --config doctor.yaml >$share/followed.txt 2>&1
# A program of somebody else's.
if [ -x "$1/examples" ]; then
    examples v4l2:BY-HAND 320x180 >$share/examples.log 2>&1
    echo $? >$share/examples.status
fi

# Set by hand, and so again when the node is started.
volley keygen hand >/dev/null 2>&1
{
    cat camera.yaml
    printf 'name: hand\ncoordinator: 127.0.0.1:5670\nspool: %s/hand-spool\n' "$PWD"
    printf 'key: %s/hand.key\ncoordinatorKey: %s/hand.pub\nprofiles: %s/.local/state/volley/profiles\n' "$PWD" "$PWD" "$HOME"
} >hand.yaml
by_hand() {
    name=$1
    shift
    volley-node camera "$@" --config hand.yaml >"$share/$name.txt" 2>"$share/$name.err"
    echo $? >"$share/$name.status"
}
by_hand found show
by_hand beyond set lensPosition=0.8 exposureDuration=5
by_hand away set lensPosition=0.8
by_hand focused focus
by_hand metered meter
by_hand set set exposureDuration=1/40 lensPosition=0.8 whiteBalance=5000K gain=20
volley-node --config hand.yaml 2>$share/hand.log &
node=$!
for _ in $(seq 100); do
    grep -q ' runs: YUYV 320x180' $share/hand.log && break
    sleep 0.2
done
# By somebody else's word.
v4l2-ctl -d "$(sed -n 's/^v4l2:\([^ ]*\) .*BY-HAND.*/\1/p' $share/cameras.txt)" --get-ctrl \
    auto_exposure,exposure_time_absolute,gain,focus_automatic_continuous,focus_absolute,white_balance_temperature \
    >$share/kept.ctrl 2>&1
by_hand busy set lensPosition=0
kill $node
wait $node
by_hand reset reset
by_hand again show

# What memory of its own an idle node has taken, in KiB: neither the camera's buffers nor the program's pages, which are
# several times larger in a debug build.
volley keygen idle >/dev/null 2>&1
volley keygen nobody >/dev/null 2>&1
cat >idle.yaml <<EOF
name: idle
camera: v4l2:/dev/video0
format: {pixelFormat: YUYV, width: 1920, height: 1080, frameRate: 5}
coordinator: 127.0.0.1:5670
key: $PWD/idle.key
coordinatorKey: $PWD/nobody.pub
spool: $PWD/idle-spool
EOF
volley-node --config idle.yaml 2>$share/idle.log &
idle=$!
for _ in $(seq 100); do
    grep -q 'v4l2:/dev/video0 runs: YUYV 1920x1080' $share/idle.log && break
    sleep 0.2
done
# Each buffer is touched once before it is counted out.
sleep 3
awk '/^Anonymous:/ { sum += $2 } END { print sum }' /proc/$idle/smaps >$share/idle.kib
kill $idle
