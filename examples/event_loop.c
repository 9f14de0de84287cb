/* event_loop.c - 1,000 agents in one thread on epoll; their command `ask` is answered by another thread, later. */
#include <nacre/nacre.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define AGENTS 1000

struct agent {
	nacre_sandbox *sb;
	nacre_run *run;
};

static struct agent agents[AGENTS];

/* ---- The other thread: answers what is in the queue ------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER;
static nacre_invocation *queue[AGENTS * 2];
static size_t queued, answered;
static bool closing;

static void *answer(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!closing || answered < queued) {
		nacre_invocation *inv;
		const char *question;

		if (answered == queued) {
			pthread_cond_wait(&asked, &lock);
			continue;
		}
		inv = queue[answered++ % (AGENTS * 2)];
		pthread_mutex_unlock(&lock);
		question = nacre_invocation_arg(inv, 1);
		nacre_invocation_write(inv, 1, question, strlen(question));
		nacre_invocation_write(inv, 1, "!\n", 2);
		nacre_invocation_complete(inv, 0);	/* from this thread; it wakes the loop */
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

static void ask(nacre_invocation *inv, void *payload)
{
	(void)payload;
	if (nacre_invocation_argc(inv) != 2) {
		nacre_invocation_fail(inv, 2, "one question, please");
		return;
	}
	pthread_mutex_lock(&lock);
	queue[queued++ % (AGENTS * 2)] = inv;	/* each agent has one question open at most */
	pthread_cond_signal(&asked);
	pthread_mutex_unlock(&lock);
}

/* ---- The loop ------------------------------------------------------------------------------------ */

/* Waits for what the runtime waits for. Sets are small: the wake-up and, with host descriptors, theirs. */
static void wait_for(nacre_runtime *rt, int ep)
{
	nacre_pollfd fds[16];
	struct epoll_event events[16];
	int64_t ns;
	int n = nacre_runtime_wait(rt, fds, 16, &ns);

	for (int i = 0; i < n && i < 16; i++) {
		struct epoll_event e = {.events = (fds[i].events & NACRE_POLL_READ ? (unsigned)EPOLLIN : 0) |
						  (fds[i].events & NACRE_POLL_WRITE ? (unsigned)EPOLLOUT : 0),
					.data.fd = fds[i].fd};

		epoll_ctl(ep, EPOLL_CTL_ADD, fds[i].fd, &e);
	}
	epoll_wait(ep, events, 16, ns < 0 ? -1 : (int)((ns + 999999) / 1000000));
	for (int i = 0; i < n && i < 16; i++)
		epoll_ctl(ep, EPOLL_CTL_DEL, fds[i].fd, NULL);
}

static bool start(struct agent *a, nacre_runtime *rt, const nacre_config *cfg, size_t i)
{
	nacre_request req = NACRE_REQUEST_INIT;
	char number[32];
	const char *env[] = {number, NULL};

	snprintf(number, sizeof(number), "AGENT=%zu", i);
	req.env = env;
	req.script = "for n in 1 2 3; do ask \"$AGENT.$n\" >> notes; done; grep -c \"^$AGENT\\.\" notes; (( AGENT % 100 )) || { i=0; while (( i++ < 20000 )); do :; done; }";
	return nacre_sandbox_new(&a->sb, rt, cfg) == 0 && nacre_run_start(&a->run, a->sb, &req) == 0;
}

/* The results of the agents that are done; how many that were. */
static size_t collect(size_t *right)
{
	size_t done = 0;

	for (size_t i = 0; i < AGENTS; i++) {
		struct agent *a = &agents[i];
		nacre_result *res;

		if (!a->run || !nacre_run_done(a->run))
			continue;
		res = nacre_run_finish(a->run);
		a->run = NULL;
		*right += nacre_result_ok(res) && strcmp(nacre_result_stdout(res, NULL), "3\n") == 0;
		nacre_result_free(res);
		nacre_sandbox_free(a->sb);
		done++;
	}
	return done;
}

int main(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_command cmd = NACRE_COMMAND_INIT;
	size_t left = AGENTS, right = 0;
	nacre_runtime *rt = NULL;
	pthread_t thread;
	int ep = epoll_create1(EPOLL_CLOEXEC);

	cmd.name = "ask";
	cmd.summary = "ask somebody who takes their time";
	cmd.run = ask;
	if (!cfg || ep < 0 || nacre_runtime_new(&rt) < 0 || nacre_config_command(cfg, &cmd) < 0 ||
	    pthread_create(&thread, NULL, answer, NULL) != 0)
		return 1;
	for (size_t i = 0; i < AGENTS; i++)
		if (!start(&agents[i], rt, cfg, i))
			return 1;
	while (left) {
		enum nacre_step step = nacre_runtime_step(rt);

		left -= collect(&right);
		if (step == NACRE_STEP_WAIT && left)
			wait_for(rt, ep);
	}
	pthread_mutex_lock(&lock);
	closing = true;
	pthread_cond_signal(&asked);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	printf("%d agents, %zu of them right, %zu questions\n", AGENTS, right, answered);
	close(ep);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	return right == AGENTS ? 0 : 1;
}
