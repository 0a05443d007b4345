#!/bin/bash
# One machine of a cage: ./cage.sh volley, which conducts it, or ./cage.sh top|door, a board. Whoever makes
# /share/cut-NAME has that machine's power cut.
set -u
share=/share
source $share/checks.sh
name=$1
declare -A addresses=([volley]=10.77.0.1 [top]=10.77.0.2 [door]=10.77.0.3)
printf '127.0.0.1 localhost\n' >/etc/hosts
echo "$name" >/etc/hostname
hostname "$name"
/run/guest/busybox ip addr add "${addresses[$name]}/24" dev eth0
/run/guest/busybox ip link set eth0 up
# One camera, as a board has.
modprobe -r vivid
[[ $name == volley ]] || modprobe vivid n_devs=1 node_types=0x1 num_inputs=1 input_types=0x0
systemctl start multi-user.target

board() {
    # The first of the two is told nothing; the other one has a card that was written beforehand.
    if [[ ! -e /usr/bin/volley-node ]]; then
        mkdir -p /boot/firmware
        if [[ $name == door ]]; then
            until [[ -e $share/card ]]; do sleep 1; done
            cp $share/card /boot/firmware/volley-node.yaml
        fi
        # Only for the emulator's sake. What the package writes must survive by itself.
        echo 'format: {pixelFormat: YUYV, width: 320, height: 180, frameRate: 10}' >>/boot/firmware/volley-node.yaml
        sync
        get install $share/old/volley-node.deb || exit 1
    fi
    # Until its power is cut.
    exec journalctl --no-pager -f -n all -o short-monotonic -u volley-node
}
[[ $name == volley ]] || board

ssh='ssh -i /root/ssh -o StrictHostKeyChecking=no -o LogLevel=ERROR'
on() { $ssh "root@$1.local" "${@:2}"; }
rig() { volley "$@" --config /root/me.yaml; }
is() { rig nodes 2>/dev/null | grep -q "^$1 .*$2"; }
# is_back BOARD: ready within three minutes
is_back() {
    within 180 is "$1" ready && return
    rig nodes
    on "$1" 'systemctl status volley-node | tail -n 12'
    return 1
}
pending() { rig nodes pending --json | grep -q '"name" : "top"'; }
version() { [[ $(on "$1" dpkg-query -W -f '\${Version}' volley-node) == "$2" ]]; }
ended() { rig show "$1" | head -n 1 | grep -Eq ' (complete|partial|failed)'; }
# has CAPTURE COUNT: of COUNT photos
has() { rig show "$1" | head -n 1 | grep -q " $2 of $2 photos"; }
acts() { (($(rig audit | grep -Ec 'admit|invite|join|revoke|fire') >= $1)); }
verified() { volley verify /var/lib/volley; }

first() {
    cp $share/ssh /root/ssh
    chmod 600 /root/ssh
    printf 'bracket: {burst: 3}\nlead: 3s\n' >/root/three.yaml
    printf 'bracket: {burst: 40}\nlead: 3s\npolicy: {atLeast: 1}\n' >/root/forty.yaml
    local begun=$SECONDS words id
    get install $share/old/volley-coordinator.deb $share/old/volley.deb || exit 1
    within 60 test -s /var/lib/volley-coordinator/coordinator.pub
    (cd /root && volley keygen me >/dev/null 2>&1 && cp me.pub /var/lib/volley-coordinator/administrators/)
    printf 'key: /root/me.key\ncoordinatorKey: /var/lib/volley-coordinator/coordinator.pub\n' >/root/me.yaml
    rig nodes card --name door >/root/card && mv /root/card $share/card
    check "a board that is told nothing finds the coordinator by multicast DNS" within 300 pending
    words=$(rig nodes pending --json | sed -n 's/.*"words" : "\(.*\)".*/\1/p')
    shown() { on top systemctl status volley-node | grep -q "$words"; }
    check "it shows the words that the coordinator shows: $words" within 30 shown
    check "it is admitted by them" rig nodes admit "$words"
    check "it is ready" is_back top
    check "a board with a code admits itself" is_back door
    check "the first complete capture of both boards" rig fire /root/three.yaml --wait
    echo "It took $((SECONDS - begun)) s from the first command."

    id=$(rig fire /root/forty.yaml)
    sleep 5
    touch $share/cut-door
    check "a capture ends without a board that has lost its power" within 120 ended "$id"
    rig show "$id" | head -n 2
    check "the board is back by itself" is_back door
    check "a capture of both" rig fire /root/three.yaml --wait

    id=$(rig fire /root/forty.yaml)
    on top 'ip="/run/guest/busybox ip"; systemd-run --quiet sh -c "$ip link set eth0 down; sleep 15; $ip link set eth0 up"'
    check "a board's network is away in the middle of a capture" within 15 is top unreachable
    check "what a board took while its network was away comes afterwards" within 180 has "$id" 80
    rig show "$id" | head -n 2

    rig nodes versions
    check "a rolling update, one board after the other" \
        rig nodes update "$ssh root@{node}.local \
            'source $share/checks.sh; get install $share/new/volley-node_*.deb'" --keep 1
    local new
    new=$(dpkg-deb -f $share/new/volley-node_*.deb Version)
    for board in top door; do check "$board is upgraded" version $board "$new"; done
    check "a capture of new boards and an old coordinator" rig fire /root/three.yaml --wait
    get install $share/new/volley-coordinator_*.deb $share/new/volley_*.deb
    for board in top door; do check "$board is back after the coordinator's upgrade" is_back $board; done
    check "a capture of new ones" rig fire /root/three.yaml --wait

    rig fire /root/forty.yaml >/root/id
    sleep 5
    echo $failures >/root/failures
    sync
    touch $share/cut-volley
    sleep infinity
}

second() {
    local id
    id=$(</root/id)
    failures=$(</root/failures)
    check "the coordinator is back after its power was cut" within 120 rig nodes
    for board in top door; do check "$board is back with it" is_back $board; done
    check "the capture that was under way has all its photos" within 180 has "$id" 80
    rig show "$id" | head -n 2
    check "the library is whole" verified

    check "a board is revoked" rig nodes revoke door
    check "the other one fires on" rig fire /root/three.yaml --wait
    refused() { on door journalctl -u volley-node | grep -q "refused this node's key"; }
    check "the revoked one is turned out" within 30 refused
    check "who did what" acts 9
    for board in top door; do
        check "$board is purged" on $board \
            'apt-get -qq -y purge volley-node >/dev/null && test ! -e /etc/volley -a ! -e /usr/bin/volley-node'
    done
    check "the library is whole" verified
    ((failures == 0)) || journalctl --no-pager -n 100 -u 'volley-*'
    exit $((failures > 0))
}

if [[ -e /root/id ]]; then second; else first; fi
