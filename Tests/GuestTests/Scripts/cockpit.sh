#!/bin/bash
# Runs a rig on four vivid cameras, with a console for a browser outside: ./cockpit.sh FOLDER-OF-PROGRAMS PORT, the port at
# which the browser finds it. Beside it lie its link, and what is asked of it: `stop`, `start`, `done`.
set -u
export PATH=$1:$PATH
cd "$(mktemp -d)" || exit 1
share=/share
ip addr add 10.0.2.15/24 dev eth0
ip link set eth0 up
mkdir nodes operators library
for name in coordinator operator cam-{0..3}; do volley keygen $name >/dev/null 2>&1; done
cp operator.pub operators/
cp cam-*.pub nodes/
for n in 0 1 2 3; do
    cat >"cam-$n.yaml" <<EOF
name: cam-$n
camera: v4l2:/dev/video$n
coordinator: 127.0.0.1:5670
key: $PWD/cam-$n.key
coordinatorKey: $PWD/coordinator.pub
spool: $PWD/spool-$n
format: {pixelFormat: YUYV, width: 640, height: 360, frameRate: 10}
EOF
done
cat >coordinator.yaml <<EOF
key: $PWD/coordinator.key
nodes: $PWD/nodes
operators: $PWD/operators
library: $PWD/library
EOF
cat >volley.yaml <<EOF
coordinator: 127.0.0.1:5671
key: $PWD/operator.key
coordinatorKey: $PWD/coordinator.pub
EOF
for n in 0 1 2 3; do v4l2-ctl -d "/dev/video$n" -c timestamp_source=1 >/dev/null; done

programs=()
coordinate() {
    volley-coordinator --config coordinator.yaml 2>>$share/coordinator.log &
    coordinator=$!
}
finish() {
    kill "${programs[@]}" "$coordinator" 2>/dev/null
    wait
}
trap finish EXIT
coordinate
for n in 0 1 2 3; do
    volley-node --config "cam-$n.yaml" 2>"$share/cam-$n.log" &
    programs+=($!)
done
volley-console --config volley.yaml --listen 0.0.0.0:5680 --unencrypted --name "127.0.0.1:$2" >link 2>$share/console.log &
programs+=($!)
until grep -q ^http link; do sleep 0.5; done
grep ^http link >$share/link.part
mv $share/link.part $share/link
until [[ -e $share/done ]]; do
    sleep 0.5
    if [[ -e $share/stop ]]; then
        rm $share/stop
        kill -KILL "$coordinator"
        wait "$coordinator"
    fi
    if [[ -e $share/start ]]; then
        rm $share/start
        coordinate
    fi
done
