/* The plainest loop beside engine `openssl`: a transfer over OpenSSL as its manual pages would write it, two threads
 * and a TCP connection between them. It is called from openssl_loop.rs, which says what the arguments are. */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PIECE 16384

struct asked {
    const char *ca, *certificate, *key, *suite, *client_groups, *server_groups;
    int version;
    /* The sender's and the receiver's bytes. */
    const unsigned char *input;
    unsigned char *buffer;
    size_t length;
    uint64_t count;
    int upload;
};

struct told {
    uint64_t wall_ns, client_cpu_ns, server_cpu_ns, wire_bytes;
    int version, suite, group, resumed;
    char why[256];
};

/* One end, and what it measured. */
struct end {
    const struct asked *asked;
    pthread_barrier_t *ready;
    SSL_CTX *context;
    SSL *ssl;
    int socket, is_client, is_well;
    /* The error is from this thread's queue. */
    unsigned long error;
    uint64_t started, ended, cpu_ns, moved;
};

static uint64_t now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static SSL_CTX *context(const struct asked *asked, int is_client)
{
    SSL_CTX *context = SSL_CTX_new(is_client ? TLS_client_method() : TLS_server_method());
    if (context == NULL)
        return NULL;
    SSL_CTX_set_verify(context, is_client ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, NULL);
    if (SSL_CTX_set_min_proto_version(context, asked->version) == 1
        && SSL_CTX_set_max_proto_version(context, asked->version) == 1
        && (asked->version == TLS1_3_VERSION ? SSL_CTX_set_ciphersuites(context, asked->suite)
                                             : SSL_CTX_set_cipher_list(context, asked->suite)) == 1
        && SSL_CTX_set1_groups_list(context, is_client ? asked->client_groups : asked->server_groups) == 1
        && (is_client ? SSL_CTX_load_verify_locations(context, asked->ca, NULL) == 1
                      : SSL_CTX_set_dh_auto(context, 1) == 1
                            && SSL_CTX_use_certificate_file(context, asked->certificate, SSL_FILETYPE_PEM) == 1
                            && SSL_CTX_use_PrivateKey_file(context, asked->key, SSL_FILETYPE_PEM) == 1))
        return context;
    SSL_CTX_free(context);
    return NULL;
}

/* Two connected sockets, the client's first; what there is of them after a failure is the caller's to close. */
static int connect_both(int sockets[2])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval patience = {.tv_sec = 5};
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    socklen_t length = sizeof address;
    int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0), is_well;
    sockets[0] = socket(AF_INET, SOCK_STREAM, 0);
    is_well = listener >= 0 && sockets[0] >= 0
        && bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, 1) == 0
        && getsockname(listener, (struct sockaddr *)&address, &length) == 0
        && connect(sockets[0], (struct sockaddr *)&address, length) == 0
        && (sockets[1] = accept(listener, NULL, NULL)) >= 0;
    if (listener >= 0)
        close(listener);
    for (int i = 0; is_well && i < 2; i++)
        is_well = setsockopt(sockets[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) == 0
            && setsockopt(sockets[i], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0
            && setsockopt(sockets[i], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0;
    /* The client closes last, and leaves nothing behind. */
    return is_well && setsockopt(sockets[0], SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) == 0;
}

/* Waiting is interrupted where the process is stopped and continued: the sockets have a time limit. */
static int again(int outcome)
{
    return outcome <= 0 && errno == EINTR;
}

static int receive(SSL *ssl, unsigned char *bytes, size_t most)
{
    int outcome;
    do {
        errno = 0;
        outcome = SSL_read(ssl, bytes, (int)(most < INT32_MAX ? most : INT32_MAX));
    } while (again(outcome));
    return outcome;
}

static int transmit(SSL *ssl, const unsigned char *bytes, size_t most)
{
    int outcome;
    do {
        errno = 0;
        outcome = SSL_write(ssl, bytes, (int)(most < PIECE ? most : PIECE));
    } while (again(outcome));
    return outcome;
}

static int handshake(SSL *ssl)
{
    int outcome;
    do {
        errno = 0;
        outcome = SSL_do_handshake(ssl);
    } while (again(outcome));
    return outcome;
}

/* The handshake and one byte there and back, so that nothing of it is left for the loop. */
static int shake_hands(struct end *end)
{
    unsigned char byte = 0;
    end->ssl = SSL_new(end->context);
    if (end->ssl == NULL || SSL_set_fd(end->ssl, end->socket) != 1)
        return 0;
    if (!end->is_client) {
        SSL_set_accept_state(end->ssl);
        return handshake(end->ssl) == 1 && receive(end->ssl, &byte, 1) == 1
            && transmit(end->ssl, &byte, 1) == 1;
    }
    SSL_set_connect_state(end->ssl);
    return SSL_set_tlsext_host_name(end->ssl, "localhost") == 1 && SSL_set1_host(end->ssl, "localhost") == 1
        && handshake(end->ssl) == 1 && transmit(end->ssl, &byte, 1) == 1
        && receive(end->ssl, &byte, 1) == 1;
}

/* The loop that all this is for. */
static int move(struct end *end)
{
    const struct asked *asked = end->asked;
    size_t at;
    int part;
    for (uint64_t i = 0; i < asked->count; i++) {
        for (at = 0; at < asked->length; at += (size_t)part) {
            part = end->is_client == asked->upload
                ? transmit(end->ssl, asked->input + at, asked->length - at)
                : receive(end->ssl, asked->buffer + at, asked->length - at);
            if (part <= 0)
                return 0;
        }
    }
    return 1;
}

/* How much went over the wire, both directions. */
static uint64_t moved(SSL *ssl)
{
    return BIO_number_read(SSL_get_rbio(ssl)) + BIO_number_written(SSL_get_wbio(ssl));
}

/* The server hears the end, tells its own and closes; the client closes then. */
static void part(struct end *end)
{
    unsigned char byte;
    if (end->is_well && end->is_client)
        SSL_shutdown(end->ssl);
    while (end->is_well && receive(end->ssl, &byte, 1) > 0)
        ;
    if (end->is_well && !end->is_client)
        SSL_shutdown(end->ssl);
    if (end->is_client)
        while (end->is_well && recv(end->socket, &byte, 1, 0) > 0)
            ;
    else
        close(end->socket);
}

static void *run(void *argument)
{
    struct end *end = argument;
    uint64_t before;
    end->is_well = shake_hands(end);
    before = end->is_well ? moved(end->ssl) : 0;
    pthread_barrier_wait(end->ready);
    end->started = now(CLOCK_MONOTONIC);
    end->cpu_ns = now(CLOCK_THREAD_CPUTIME_ID);
    end->is_well = end->is_well && move(end);
    end->cpu_ns = now(CLOCK_THREAD_CPUTIME_ID) - end->cpu_ns;
    end->ended = now(CLOCK_MONOTONIC);
    end->error = end->is_well ? 0 : ERR_get_error();
    end->moved = end->is_well ? moved(end->ssl) - before : 0;
    part(end);
    return NULL;
}

/* Finite fields before TLS 1.3 have a size and no name: FINITE_FIELD of openssl.rs, and the size. */
static int group(SSL *ssl)
{
    EVP_PKEY *key = NULL;
    int group = (int)SSL_get_negotiated_group(ssl);
    if (group == 0 && SSL_get_peer_tmp_key(ssl, &key) == 1)
        group = 1 << 20 | EVP_PKEY_get_bits(key);
    EVP_PKEY_free(key);
    return group;
}

static void tell(const struct end *client, const struct end *server, struct told *told)
{
    uint64_t started = client->started < server->started ? client->started : server->started;
    uint64_t ended = client->ended > server->ended ? client->ended : server->ended;
    told->wall_ns = ended - started;
    told->client_cpu_ns = client->cpu_ns;
    told->server_cpu_ns = server->cpu_ns;
    told->wire_bytes = client->moved;
    told->version = SSL_version(client->ssl);
    told->suite = SSL_CIPHER_get_protocol_id(SSL_get_current_cipher(client->ssl));
    told->group = group(client->ssl);
    told->resumed = SSL_session_reused(client->ssl);
}

/* Both threads from their start to their end; the server's closes its socket. */
static int run_both(struct end ends[2])
{
    pthread_t threads[2];
    pthread_barrier_t ready;
    pthread_barrier_init(&ready, NULL, 2);
    /* A thread that cannot be started would leave the other at the barrier for ever. */
    for (int i = 0; i < 2; i++) {
        ends[i].ready = &ready;
        if (pthread_create(&threads[i], NULL, run, &ends[i]) != 0)
            abort();
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_barrier_destroy(&ready);
    close(ends[0].socket);
    return ends[0].is_well && ends[1].is_well;
}

static int transfer(const struct asked *asked, struct end ends[2])
{
    int sockets[2] = {-1, -1};
    for (int i = 0; i < 2; i++) {
        ends[i].asked = asked;
        ends[i].context = context(asked, ends[i].is_client);
        if (ends[i].context == NULL)
            return 0;
    }
    if (connect_both(sockets)) {
        ends[0].socket = sockets[0];
        ends[1].socket = sockets[1];
        return run_both(ends);
    }
    for (int i = 0; i < 2; i++)
        if (sockets[i] >= 0)
            close(sockets[i]);
    return 0;
}

/* 1 if all went well. */
int sealmark_lab_openssl_loop(const struct asked *asked, struct told *told)
{
    struct end ends[2] = {{.is_client = 1}, {.is_client = 0}};
    int is_well = transfer(asked, ends);
    snprintf(told->why, sizeof told->why, "the transfer failed");
    if (is_well)
        tell(&ends[0], &ends[1], told);
    else if (ends[0].error != 0 || ends[1].error != 0 || ERR_peek_error() != 0)
        ERR_error_string_n(ends[0].error ? ends[0].error : ends[1].error ? ends[1].error : ERR_get_error(),
                           told->why, sizeof told->why);
    for (int i = 0; i < 2; i++) {
        SSL_free(ends[i].ssl);
        SSL_CTX_free(ends[i].context);
    }
    return is_well;
}
