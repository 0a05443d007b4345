#!/bin/bash
# Runs four nodes, each in a network namespace of its own behind a bad wire: ./sync.sh FOLDER-OF-PROGRAMS. All cameras
# and clocks are one kernel's, so what the devices' own timestamps say is the truth.
set -u
export PATH=$1:$PATH
share=/share
cd "$(mktemp -d)" || exit 1
modprobe veth && modprobe sch_netem || exit 1
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
listen: "*"
key: $PWD/coordinator.key
nodes: $PWD/nodes
operators: $PWD/operators
library: $PWD/library
EOF

# What each node's wire does, both ways: a delay with jitter, and loss.
wires=("2ms 1ms loss 1%" "5ms 2ms loss 2%" "1ms 1ms loss 0%" "8ms 3ms loss 5%")
for n in 0 1 2 3; do
    ip netns add "cage-$n"
    ip link add "wire-$n" type veth peer name eth0 netns "cage-$n"
    ip address add "10.0.$n.1/24" dev "wire-$n"
    ip link set "wire-$n" up
    ip netns exec "cage-$n" ip address add "10.0.$n.2/24" dev eth0
    ip netns exec "cage-$n" ip link set eth0 up
    # shellcheck disable=SC2086
    tc qdisc add dev "wire-$n" root netem delay ${wires[$n]} || exit 1
    # shellcheck disable=SC2086
    ip netns exec "cage-$n" tc qdisc add dev eth0 root netem delay ${wires[$n]} || exit 1
    volley keygen "cam-$n" 2>/dev/null >/dev/null
    cp "cam-$n.pub" nodes/
    cat >"cam-$n.yaml" <<EOF
name: cam-$n
camera: v4l2:/dev/video$n
coordinator: 10.0.$n.1:5670
key: $PWD/cam-$n.key
coordinatorKey: $PWD/coordinator.pub
spool: $PWD/spool-$n
format: {pixelFormat: YUYV, width: 320, height: 180, frameRate: 10}
EOF
    # Stamps of the start of exposure.
    v4l2-ctl -d "/dev/video$n" -c timestamp_source=1 >/dev/null
done

programs=()
volley-coordinator --config coordinator.yaml 2>$share/coordinator.log &
programs+=($!)
for n in 0 1 2 3; do
    ip netns exec "cage-$n" volley-node --config "cam-$n.yaml" 2>"$share/cam-$n.log" &
    programs+=($!)
done
finish() {
    kill "${programs[@]}" 2>/dev/null
    wait "${programs[@]}"
    rm -rf $share/bin
}
trap finish EXIT

ready() {
    rig nodes --json >now.json 2>/dev/null
    [ "$(grep -c '"state" : "ready"' now.json)" = 4 ]
}
for _ in $(seq 120); do ready && break; sleep 0.5; done
ready || { rig nodes; echo "the four cameras did not become ready"; exit 1; }
rig watch --jsonl >$share/watch.jsonl 2>/dev/null &
programs+=($!)
# The streams begin anew until their frames lie on the rig's grid.
sleep 20
rig clocks --json >$share/clocks.json
rig clocks >$share/clocks.txt

printf 'name: sync\nbracket: {burst: 3}\npolicy: all\n' >sync.yaml
for shot in 1 2 3; do
    rig fire sync.yaml --wait --json >"$share/sync-$shot.json"
    echo $? >"$share/sync-$shot.status"
done
printf 'name: close\nbracket: {burst: 1}\nmaxSpread: 10us\n' >close.yaml
rig fire close.yaml --wait 2>$share/close.err
echo $? >$share/close.status

# A wire that is full of photos for longer than a node may be silent.
# shellcheck disable=SC2086
ip netns exec cage-0 tc qdisc change dev eth0 root netem delay ${wires[0]} rate 1mbit || exit 1
printf 'name: narrow\nbracket: {burst: 8}\nformats: [tiff]\npolicy: bestEffort\n' >narrow.yaml
date +%s >$share/narrow.begin
rig fire narrow.yaml --wait --json >$share/narrow.json 2>$share/narrow.err
echo $? >$share/narrow.status
date +%s >$share/narrow.end
sleep 1
