#ifndef VOLLEY_CVIDEO4LINUX_H
#define VOLLEY_CVIDEO4LINUX_H

#include <errno.h>
#include <libv4l-plugin.h>
#include <libv4lconvert.h>
#include <linux/media.h>
#include <linux/videodev2.h>
#include <string.h>
#include <sys/ioctl.h>

// ioctl is variadic, which Swift cannot call.
static inline int cv4l2_ioctl(int fd, unsigned long request, void *argument) {
    return ioctl(fd, request, argument);
}

// A device without capabilities, for libv4lconvert, which wants one even for frames that come from elsewhere.
static inline int cv4l2_no_device_ioctl(void *private, int fd, unsigned long request, void *argument) {
    if (request == VIDIOC_QUERYCAP) {
        memset(argument, 0, sizeof(struct v4l2_capability));
        return 0;
    }
    errno = EINVAL;
    return -1;
}

static inline struct v4lconvert_data *cv4l2_convert_create_without_device(void) {
    static const struct libv4l_dev_ops no_device = {.ioctl = cv4l2_no_device_ioctl};
    return v4lconvert_create_with_dev_ops(-1, NULL, &no_device);
}

// Requests are computed by function-like macros, which Swift does not import.
#define CV4L2_REQUEST(name) static const unsigned long c##name = name
CV4L2_REQUEST(VIDIOC_QUERYCAP);
CV4L2_REQUEST(VIDIOC_ENUM_FMT);
CV4L2_REQUEST(VIDIOC_ENUM_FRAMESIZES);
CV4L2_REQUEST(VIDIOC_ENUM_FRAMEINTERVALS);
CV4L2_REQUEST(VIDIOC_G_FMT);
CV4L2_REQUEST(VIDIOC_S_FMT);
CV4L2_REQUEST(VIDIOC_G_PARM);
CV4L2_REQUEST(VIDIOC_S_PARM);
CV4L2_REQUEST(VIDIOC_REQBUFS);
CV4L2_REQUEST(VIDIOC_CREATE_BUFS);
CV4L2_REQUEST(VIDIOC_QUERYBUF);
CV4L2_REQUEST(VIDIOC_QBUF);
CV4L2_REQUEST(VIDIOC_DQBUF);
CV4L2_REQUEST(VIDIOC_STREAMON);
CV4L2_REQUEST(VIDIOC_STREAMOFF);
CV4L2_REQUEST(VIDIOC_QUERY_EXT_CTRL);
CV4L2_REQUEST(VIDIOC_QUERYMENU);
CV4L2_REQUEST(VIDIOC_G_EXT_CTRLS);
CV4L2_REQUEST(VIDIOC_S_EXT_CTRLS);
CV4L2_REQUEST(VIDIOC_SUBSCRIBE_EVENT);
CV4L2_REQUEST(VIDIOC_DQEVENT);
CV4L2_REQUEST(MEDIA_IOC_DEVICE_INFO);
CV4L2_REQUEST(MEDIA_IOC_REQUEST_ALLOC);
CV4L2_REQUEST(MEDIA_REQUEST_IOC_QUEUE);
CV4L2_REQUEST(MEDIA_REQUEST_IOC_REINIT);
#undef CV4L2_REQUEST

// V4L2_CTRL_ID2WHICH(0): values of any control class.
static const unsigned int cv4l2_current_values = V4L2_CTRL_WHICH_CUR_VAL;
static const unsigned int cv4l2_request_values = V4L2_CTRL_WHICH_REQUEST_VAL;

#endif
