#!/bin/bash
# Drives virtual USB cameras through the kernel's uvcvideo: ./uvc.sh FOLDER-OF-PROGRAMS SUITE. What it saw is left beside it.
set -u
export PATH=$1:$PATH HOME=/tmp/home
mkdir -p $HOME
modprobe vhci-hcd
modprobe uvcvideo
VOLLEY_UVC=$1/volley-uvc-camera "$1"/volleyPackageTests.xctest --testing-library swift-testing \
    --filter "VirtualUVCCameraTests.$2" >/share/driver.log 2>&1
echo $? >/share/driver.status
rm -rf /share/bin
