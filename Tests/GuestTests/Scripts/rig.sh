#!/bin/bash
# Runs a rig on four vivid cameras: ./rig.sh FOLDER-OF-PROGRAMS. What it saw is left beside it, for the test.
set -u
export PATH=$1:$PATH
VOLLEY_VIVID=1 "$1"/volleyPackageTests.xctest --testing-library swift-testing --filter 'Video4LinuxTests.DriverTests' >/share/driver.log 2>&1
echo $? >/share/driver.status
cd "$(mktemp -d)" || exit 1
share=/share
# vivid has no exposure, but a gain and the Media Request API: each frame gets its own.
printf 'bracket: {manualExposure: [{gain: 10}, {gain: 200}, {gain: 60}, {gain: 0}, {gain: 255}]}\n' >gains.yaml
printf 'format: {pixelFormat: YUYV, width: 320, height: 180, frameRate: 10}\n' >camera.yaml
# Once for nothing: what of a program is not in memory comes over a slow way, in the middle of a bracket.
HOME=$PWD volley-node shoot gains.yaml --config camera.yaml --camera v4l2:/dev/video2 >/dev/null 2>&1
HOME=$PWD volley-node shoot gains.yaml --config camera.yaml --camera v4l2:/dev/video2 >$share/gains.jsonl 2>$share/gains.err
echo $? >$share/gains.status
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

for n in 0 1 2 3; do
    volley keygen "cam-$n" 2>/dev/null >/dev/null
    cp "cam-$n.pub" nodes/
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
cat >coordinator.yaml <<EOF
key: $PWD/coordinator.key
nodes: $PWD/nodes
operators: $PWD/operators
library: $PWD/library
EOF
for n in 0 1 2 3; do v4l2-ctl -d "/dev/video$n" -c timestamp_source=1 >/dev/null; done

programs=()
volley-coordinator --config coordinator.yaml 2>$share/coordinator.log &
programs+=($!)
for n in 0 1 2 3; do
    volley-node --config "cam-$n.yaml" 2>"$share/cam-$n.log" &
    programs+=($!)
done
finish() {
    kill "${programs[@]}" 2>/dev/null
    wait "${programs[@]}"
    mkdir -p $share/library
    cp -r library/. $share/library/
    rm -rf $share/bin
}
trap finish EXIT

# Answers when the rig has this many nodes, and all are ready.
await_ready() {
    for _ in $(seq 120); do
        rig nodes --json >now.json 2>/dev/null
        [ "$(grep -c '"name" : "cam-' now.json)" = "$1" ] && [ "$(grep -c '"state" : "ready"' now.json)" = "$1" ] &&
            return 0
        sleep 0.5
    done
    rig nodes
    return 1
}
# How many captures have fired; what is said of one while its photos come counts once.
fired() {
    sed -n '/"state":"firing"/s/.*"type":"captureNotice","uniqueID":\([0-9]*\).*/\1/p' watch.jsonl | sort -u | wc -l
}
await_fire() {
    for _ in $(seq 600); do
        [ "$(fired)" -gt "$1" ] && return 0
        sleep 0.02
    done
    echo "nothing was fired"
}
# An emulated machine may be busy for longer than the coordinator expects: orders go out early.
plan() { printf 'name: %s\nbracket: {%s}\npolicy: %s\nlead: 2s\n' "$1" "$2" "$3" >"$1.yaml"; }

await_ready 4 || { echo "the four cameras did not become ready"; exit 1; }
rig nodes --json >$share/nodes.json
rig watch --jsonl >watch.jsonl 2>/dev/null &
programs+=($!)

plan burst 'burst: 3' all
rig fire burst.yaml --wait --json >$share/burst.json; echo $? >$share/burst.status

plan auto 'autoExposure: [-1, 0, 1]' all
rig fire auto.yaml --wait 2>$share/auto.err; echo $? >$share/auto.status

# A driver that hands over a broken buffer about once a second, all through a burst of more than four.
plan broken 'burst: 45' all
while :; do
    v4l2-ctl -d /dev/video1 -c inject_v4l2_buf_flag_error=1
    sleep 0.8
done &
injector=$!
rig fire broken.yaml --wait --json >$share/broken.json; echo $? >$share/broken.status
kill $injector

# A camera that goes away in the middle of a burst. Without a second opener vivid would come back by itself.
await_ready 4 || { echo "the four cameras are not ready again"; exit 1; }
plan unplug 'burst: 60' bestEffort
before=$(fired)
rig fire unplug.yaml --wait --json >$share/unplug.json &
fire=$!
await_fire "$before"
exec 5</dev/video3
v4l2-ctl -d /dev/video3 -c disconnect=1
wait $fire; echo $? >$share/unplug.status
rig nodes --json >$share/unplugged-nodes.json
exec 5<&-

await_ready 4 || { echo "the camera did not come back"; exit 1; }
rig fire burst.yaml --wait --json >$share/again.json; echo $? >$share/again.status

# A driver whose stamps leave half a frame open cannot show that a narrow limit was kept.
plan narrow 'burst: 1' all
echo 'maxSpread: 60ms' >>narrow.yaml
v4l2-ctl -d /dev/video2 -c timestamp_source=0 >/dev/null
# Nobody tells when the first frame with such a stamp has come; ten of them take a second.
sleep 1
rig fire narrow.yaml --wait >$share/narrow.err 2>&1; echo $? >$share/narrow.status
v4l2-ctl -d /dev/video2 -c timestamp_source=1 >/dev/null

# The same picture in 8 and in 10 bits of luma.
kill "${programs[3]}"; wait "${programs[3]}"; unset 'programs[3]'
v4l2-ctl -d /dev/video2 -c osd_text_mode=2 >/dev/null
for luma in GREY Y10; do
    sed -i "s/^format:.*/format: {pixelFormat: $luma, width: 320, height: 180, frameRate: 10}/" cam-2.yaml
    volley-node shoot burst.yaml --config cam-2.yaml --output "$share/$luma" >$share/$luma.jsonl 2>$share/$luma.err
    echo $? >$share/$luma.status
done

# Raw samples of a driver, through both encoders.
kill "${programs[4]}"; wait "${programs[4]}"
sed -i 's/^format:.*/format: {pixelFormat: BA12, width: 320, height: 180, frameRate: 10}/' cam-3.yaml
rm nodes/cam-[012].pub
kill "${programs[1]}" "${programs[2]}"
wait "${programs[1]}" "${programs[2]}"
volley-node --config cam-3.yaml 2>>$share/cam-3.log &
programs[4]=$!
await_ready 1 || { echo "the raw camera did not become ready"; exit 1; }
printf 'name: raw\nbracket: {burst: 2}\nformats: [jpeg, dng]\n' >raw.yaml
rig fire raw.yaml --wait --json >$share/raw.json 2>$share/raw.err; echo $? >$share/raw.status
