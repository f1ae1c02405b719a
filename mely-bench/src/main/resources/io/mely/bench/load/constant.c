/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ceiling: an epoll loop that answers every request with the same bytes, whatever it asks for. It looks for the empty line at the
 * end of each head and for nothing else. No server that reads what it is asked for does less.
 *
 * constant PORT BODY_BYTES THREADS: each thread has a listener of its own on the same port.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 512, READ_BYTES = 16384, BACKLOG = 4096, DESCRIPTORS = 1 << 20 };

static int port;
static char *response;
static size_t response_bytes;
/* By descriptor: how many bytes of the empty line have been seen. */
static unsigned char seen[DESCRIPTORS];

static void die(const char *what) {
    perror(what);
    exit(1);
}

static int listener(void) {
    int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short) port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on)
            || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on)
            || bind(fd, (struct sockaddr *) &address, sizeof address) || listen(fd, BACKLOG)) {
        die("listen");
    }
    return fd;
}

/* Heads that end in these bytes. */
static int heads(int fd, const char *bytes, ssize_t count) {
    static const char end[] = "\r\n\r\n";
    int found = 0;
    unsigned at = seen[fd];
    for (ssize_t i = 0; i < count; i++) {
        if (bytes[i] == end[at]) {
            if (++at == 4) {
                found++;
                at = 0;
            }
        } else {
            at = bytes[i] == '\r';
        }
    }
    seen[fd] = (unsigned char) at;
    return found;
}

/* Waits where there is no room: a minimal server has nothing better to do, and 1 KB always has room. */
static int answer(int fd) {
    size_t sent = 0;
    while (sent < response_bytes) {
        ssize_t n = send(fd, response + sent, response_bytes - sent, MSG_NOSIGNAL);
        if (n > 0) {
            sent += (size_t) n;
        } else if (n < 0 && errno == EAGAIN) {
            struct pollfd room = {.fd = fd, .events = POLLOUT};
            poll(&room, 1, 1000);
        } else {
            return -1;
        }
    }
    return 0;
}

static void *loop(void *unused) {
    (void) unused;
    int epoll = epoll_create1(0);
    int listening = listener();
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listening};
    if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listening, &event)) {
        die("epoll");
    }
    struct epoll_event events[EVENTS];
    char bytes[READ_BYTES];
    for (;;) {
        int count = epoll_wait(epoll, events, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            int fd = events[i].data.fd;
            if (fd == listening) {
                int on = 1;
                int fresh;
                while ((fresh = accept4(listening, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
                    if (fresh >= DESCRIPTORS) {
                        close(fresh);
                        continue;
                    }
                    setsockopt(fresh, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                    seen[fresh] = 0;
                    struct epoll_event added = {.events = EPOLLIN | EPOLLET, .data.fd = fresh};
                    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fresh, &added)) {
                        close(fresh);
                    }
                }
                continue;
            }
            ssize_t n;
            do {
                n = recv(fd, bytes, sizeof bytes, 0);
                int failed = n == 0 || (n < 0 && errno != EAGAIN);
                for (int left = n > 0 ? heads(fd, bytes, n) : 0; left > 0 && !failed; left--) {
                    failed = answer(fd);
                }
                if (failed) {
                    close(fd);
                    break;
                }
            } while (n == (ssize_t) sizeof bytes || (n > 0 && (events[i].events & (EPOLLHUP | EPOLLERR))));
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "constant PORT BODY_BYTES THREADS\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    port = atoi(argv[1]);
    size_t body = (size_t) atol(argv[2]);
    int threads = atoi(argv[3]);
    response = malloc(body + 256);
    if (!response) {
        die("malloc");
    }
    int head = sprintf(response,
            "HTTP/1.1 200 OK\r\nServer: constant\r\nContent-Type: text/html\r\nContent-Length: %zu\r\n\r\n", body);
    memset(response + head, 'x', body);
    response_bytes = (size_t) head + body;
    for (int i = 1; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, loop, NULL)) {
            die("pthread_create");
        }
    }
    loop(NULL);
    return 0;
}
