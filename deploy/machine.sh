# Sourced by the scripts that try packages: makes a Debian to try them on.

need_packages mmdebstrap qemu-system-x86 busybox-static cpio
((EUID == 0)) || fail "Only root can make a Debian with files of several users."
work=$(mktemp -d)

# share_packages FOLDER PACKAGE...: puts the newest of these packages into $work/share/new, and the same programs as an
# earlier version, with configuration of its own, into $work/share/old.
share_packages() {
    local folder=$1 package newest file
    newest=$(cd "$folder" && printf '%s\n' volley_*.deb | sort -V | tail -n 1)
    [[ -f $folder/$newest ]] || fail "There are no packages in $folder: deploy/package makes them."
    mkdir -p "$work"/share/{new,old}
    for package in "${@:2}"; do
        cp "$folder/${newest/volley_/${package}_}" "$work/share/new/"
        dpkg-deb -R "$work/share/new/$package"_*.deb "$work/tree"
        sed -i 's/^Version: .*/Version: 0.0.1/' "$work/tree/DEBIAN/control"
        for file in "$work"/tree/etc/volley/*.yaml; do [[ ! -f $file ]] || echo '# Of an earlier release.' >>"$file"; done
        dpkg-deb --root-owner-group -Znone -b "$work/tree" "$work/share/old/$package.deb" >/dev/null
        rm -rf "$work/tree"
    done
}

# make_debian PACKAGE,...: a Debian in $work/root with what the shared packages depend on and these, but without them.
make_debian() {
    local depends
    depends=$(for package in "$work"/share/new/*.deb; do dpkg-deb -f "$package" Depends; done |
        tr ',' '\n' | sed 's/^ *//;s/[ (|].*//' | sort -u | paste -sd,)
    echo "volley: making a Debian with ${depends//,/, }" >&2
    mmdebstrap --quiet --variant=apt --include="$depends,systemd,udev,$1" \
        "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$work/root" /etc/apt/sources.list.d/debian.sources
}
