#!/bin/bash
# What the world does to a rig, by a kernel that is not simulated: it boots in 1970 and gets its time later, a wire loses
# and carries little, the library's disk turns read-only in a capture, the coordinator stands still. The library is on /dev/vda.
set -u
share=/share
source $share/checks.sh
modprobe -a ext4 veth sch_netem || exit 1
true_time=$(date +%s)
booted=$(cut -d . -f 1 /proc/uptime)

export PATH=$share/bin:$PATH HOME=/tmp/work
mkdir -p /tmp/work/disk
cd /tmp/work || exit 1
mkfs.ext4 -q /dev/vda && mount -t ext4 /dev/vda disk || exit 1
rig() { volley "$@" --config $PWD/volley.yaml; }

# One board beside the coordinator, the other one behind a wire of its own.
ip netns add far
ip link add wire type veth peer name eth0 netns far
ip address add 10.0.0.1/24 dev wire
ip link set wire up
ip netns exec far ip address add 10.0.0.2/24 dev eth0
ip netns exec far ip link set eth0 up

date -s '1970-01-01 00:01:00 UTC' >/dev/null
mkdir -p state/administrators state/nodes
for name in state/coordinator me near far; do volley keygen $name >/dev/null 2>&1; done
cp me.pub state/administrators/
cp near.pub far.pub state/nodes/
cat >volley.yaml <<EOF
coordinator: 127.0.0.1:5671
key: $PWD/me.key
coordinatorKey: $PWD/state/coordinator.pub
EOF
cat >coordinator.yaml <<EOF
listen: "*"
state: $PWD/state
library: $PWD/disk/library
retention: {captures: 1d, trash: 1d}
EOF
for board in near:0:127.0.0.1 far:1:10.0.0.1; do
    IFS=: read -r name camera address <<<"$board"
    cat >"$name.yaml" <<EOF
name: $name
camera: v4l2:/dev/video$camera
coordinator: $address:5670
key: $PWD/$name.key
coordinatorKey: $PWD/state/coordinator.pub
spool: $PWD/spool-$name
format: {pixelFormat: YUYV, width: 320, height: 180, frameRate: 10}
EOF
done
printf 'bracket: {burst: 3}\n' >three.yaml
printf 'bracket: {burst: 60}\npolicy: {atLeast: 1}\n' >sixty.yaml
printf 'bracket: {burst: 8}\nformats: [tiff]\n' >large.yaml
# As chrony would leave it: nothing is thrown away by a clock that nobody looks after.
discipline() {
    python3 -c 'import ctypes, struct
timex = bytearray(208)
struct.pack_into("=I4xqqqqi", timex, 0, 0x0010 | 0x0004 | 0x0008, 0, 0, 1000, 1000, 1)
ctypes.CDLL(None).adjtimex((ctypes.c_char * 208).from_buffer(timex))'
}
# start_coordinator COMMAND...: through that command, where there is one.
start_coordinator() {
    "$@" volley-coordinator --config coordinator.yaml 2>>coordinator.log &
    coordinator=$!
}
discipline
start_coordinator
volley-node --config near.yaml 2>near.log &
ip netns exec far volley-node --config far.yaml 2>far.log &
both_ready() { [[ $(rig nodes --json 2>/dev/null | grep -c '"state" : "ready"') == 2 ]]; }
check "two boards of a rig that believes it is 1970 are ready" within 120 both_ready
if ! both_ready; then
    rig nodes
    tail -n 20 {coordinator,near,far}.log
    exit 1
fi
document() { rig show last --json; }
# when FIELD: in seconds, of the newest capture's first photo
when() { date -d "$(document | sed -n "s/.*\"$1\" : \"\([^\"]*\)\".*/\1/p" | head -n 1)" +%s; }
# near A B SECONDS
near() { local by=$(($1 - $2)); ((by <= $3 && -by <= $3)) || { echo "$1 and $2"; return 1; }; }
is_right() { near "$(when exposureStartAt)" "$(now)" 30; }
now() { echo $((true_time + $(cut -d . -f 1 /proc/uptime) - booted)); }

echo "--- 1970"
# Retention has looked once.
sleep 65
rig fire three.yaml --every 10s --count 5 >series.txt 2>&1 &
series=$!
sleep 22
date -s "@$(now)" >/dev/null
discipline
check "a series in which the clock is set goes on to its end" wait $series
tail -n 3 series.txt
complete() { [[ $(rig captures | grep -c ' complete ') == "$1" ]]; }
check "all five are complete, and none was thrown away" complete 5
check "another one" rig fire three.yaml --wait
check "what is taken afterwards has the right time" is_right
rig captures
first=$(rig captures --json | sed -n 's/.*"uniqueID" : "*\([0-9]*\).*/\1/p' | tail -n 1)
began=$(date -d "$(rig show "$first" --json | sed -n 's/.*"exposureStartAt" : "\([^"]*\)".*/\1/p' | head -n 1)" +%s)
check "what was taken before has it now as well" near "$began" "$(now)" 150
kill $coordinator
wait $coordinator
start_coordinator
check "both are ready again" within 60 both_ready
# Retention looks a minute after the start.
is_held() { rig status | grep -q 'trust-clock'; }
check "status says that nothing is thrown away until the time has stood" within 90 is_held
check "and nothing was" complete 6

echo "--- a wire of 1 Mbit/s that loses 2 of 100"
for side in "tc qdisc add dev wire" "ip netns exec far tc qdisc add dev eth0"; do
    $side root netem delay 40ms 10ms loss 2% rate 1mbit || exit 1
done
sent() { ip netns exec far cat /sys/class/net/eth0/statistics/tx_bytes; }
# What TCP sends again as it is lost, in packets.
repeated() { ip netns exec far awk '/^Tcp: [0-9]/ { print $13 }' /proc/net/snmp; }
before=$(sent) former=$(repeated)
check "brings a capture whole" rig fire large.yaml --wait
after=$(($(sent) - 1514 * ($(repeated) - former)))
echo "TCP sent $(($(repeated) - former)) packets again."
bytes=$(document | sed -n 's/.*"byteCount" : \([0-9]*\).*/\1/p' | awk '{ all += $1 } END { print all / 2 }')
check "with each byte about once, but for those packets" awk "BEGIN { share = ($after - $before) / $bytes; print share; exit share > 1.2 }"
tc qdisc del dev wire root
ip netns exec far tc qdisc del dev eth0 root

echo "--- ext4 turns read-only in a capture"
check "the rig is ready" within 60 both_ready
(SECONDS=0; rig fire sixty.yaml --wait >refused.txt 2>&1; echo "exit $? after $SECONDS s" >>refused.txt) &
waiting=$!
sleep 3
echo u >/proc/sysrq-trigger
turned=$SECONDS
is_told() { rig status 2>&1 | grep -qi 'read-only'; }
check "status says so" within 20 is_told
echo "after $((SECONDS - turned)) s"
words() { grep -qi 'read-only' refused.txt; }
check "who waits is told" within 20 words
echo "after $((SECONDS - turned)) s"
rig status
mount -o remount,rw /dev/vda disk || exit 1
is_over() { ! is_told && document | grep -q '"state" : "complete"'; }
check "what returns is taken up, and the capture is complete" within 120 is_over
wait $waiting
cat refused.txt
check "another one" rig fire three.yaml --wait
check "the library is whole" volley verify disk/library

echo "--- the coordinator stands still for a minute, in a series"
exposed() { rig show "$1" --json | sed -n 's/.*"exposureStartAt" : "\([^"]*\)".*/\1/p' | head -n 1; }
last() { rig captures --json | sed -n 's/.*"uniqueID" : "*\([0-9]*\).*/\1/p' | head -n 1; }
same() { [[ $(exposed "$id") == "$earlier" ]] || { exposed "$id"; echo "$earlier"; return 1; }; }
id=$(last)
earlier=$(exposed "$id")
rig fire three.yaml --every 10s --count 12 >still.txt 2>&1 &
series=$!
sleep 25
kill -STOP $coordinator
sleep 60
kill -CONT $coordinator
check "both are ready again" within 60 both_ready
wait $series
tail -n 3 still.txt
check "what was taken before keeps its time" same
check "another one" rig fire three.yaml --wait
check "has the right time" is_right

echo "--- its machine has slept for two hours, as a time namespace tells it"
id=$(last)
earlier=$(exposed "$id")
kill $coordinator
wait $coordinator
start_coordinator unshare --fork --kill-child --time --boottime 7200
check "both are ready again" within 60 both_ready
check "what was taken before keeps its time" same
check "another one" rig fire three.yaml --wait
check "has the right time" is_right
check "the library is whole" volley verify disk/library
((failures == 0)) || tail -n 40 {coordinator,near,far}.log
exit $((failures > 0))
