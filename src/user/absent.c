/* absent.c - programs that scripts expect and a sandbox does not have: what to do instead. */
#include "user.h"

static const struct {
	const char *names; /* each between blanks */
	const char *advice;
} absent[] = {
	{" apt apt-get aptitude dpkg apk yum dnf brew snap npm npx pnpm yarn gem cargo ",
	 "nothing can be installed in the sandbox; ls /bin shows the commands it has"},
	{" pip pip3 pipx uv poetry conda ",
	 "packages cannot be installed in the sandbox; pure Python ones that the host mounts at /lib/python/site-packages can be imported"},
	{" python2 nodejs deno bun perl ruby php lua java ",
	 "that language is not in the sandbox; the shell, awk and sed are"},
	{" git hg svn ", "there is no version control in the sandbox; diff and patch are there"},
	{" make cmake ninja meson gcc g++ cc c++ clang clang++ ld as go rustc javac mvn gradle dotnet ",
	 "nothing can be compiled in the sandbox"},
	{" docker podman kubectl helm docker-compose vagrant ", "containers cannot be run in the sandbox"},
	{" curl wget ssh scp sftp rsync nc telnet ftp ping dig nslookup host ifconfig ip netstat ss traceroute ",
	 "there is no network in the sandbox"},
	{" sudo su doas ", "there is no other user in the sandbox; run the command itself"},
	{" vi vim nvim nano emacs ed pico ", "there is no terminal in the sandbox; change files with sed -i, patch or a here-document"},
	{" watch top htop ", "there is no terminal to show anything on again and again; repeat a command with while sleep N; do ...; done"},
	{" systemctl service journalctl mount umount fdisk mkfs reboot shutdown useradd adduser passwd crontab ",
	 "the sandbox has no services, devices or users to manage"},
};

const char *u_absent(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; n && !strchr(name, ' ') && i < COUNTOF(absent); i++) {
		for (const char *s = absent[i].names; (s = strstr(s, name)) != NULL; s++) {
			if (s[-1] == ' ' && s[n] == ' ')
				return absent[i].advice;
		}
	}
	return NULL;
}
