/* answers.c - a thread that answers what tests ask for, oldest first. */
#include "answers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct question {
	void (*answer)(void *subject, int64_t result);
	void *subject;
	int64_t result;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static struct question *queue;
static size_t size, begin, end;
static bool closing;

static void *answer_all(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!closing || begin < end) {
		struct question q;

		if (begin == end) {
			pthread_cond_wait(&more, &lock);
			continue;
		}
		q = queue[begin++ % size];
		pthread_mutex_unlock(&lock);
		q.answer(q.subject, q.result);
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

bool answers_start(size_t n)
{
	begin = end = 0;
	closing = false;
	size = n;
	queue = calloc(n, sizeof(*queue));
	return queue && pthread_create(&thread, NULL, answer_all, NULL) == 0;
}

void answers_ask(void (*answer)(void *subject, int64_t result), void *subject, int64_t result)
{
	pthread_mutex_lock(&lock);
	queue[end++ % size] = (struct question){answer, subject, result};
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
}

void answers_echo(void *subject, int64_t ignored)
{
	nacre_invocation *inv = subject;

	(void)ignored;
	nacre_invocation_write(inv, 1, nacre_invocation_arg(inv, 1), strlen(nacre_invocation_arg(inv, 1)));
	nacre_invocation_complete(inv, 0);
}

unsigned long answers_stop(void)
{
	pthread_mutex_lock(&lock);
	closing = true;
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	free(queue);
	return (unsigned long)end;
}
