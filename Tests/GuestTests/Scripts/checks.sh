# Sourced by what tries the packages.
failures=0
# check WHAT COMMAND...
check() {
    if "${@:2}"; then echo "yes  $1"; else echo "NO   $1"; failures=$((failures + 1)); fi
}
# within SECONDS COMMAND...
within() {
    local end=$((SECONDS + $1))
    until "${@:2}"; do ((SECONDS < end)) || return 1; sleep 0.5; done
}
get() {
    DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root \
        -o Dpkg::Options::=--force-confold "$@" >/tmp/apt.log 2>&1 ||
        { cat /tmp/apt.log; return 1; }
}
