# A cache for the listing: varnishd -a :8080 -f tayang.vcl -p http_gzip_support=off
# The parameter keeps Varnish from compressing and unpacking: Tayang has each encoding ready, with an ETag of its own.
vcl 4.1;

import std;

backend tayang {
	.host = "127.0.0.1";
	.port = "3000";
	.probe = { .url = "/healthz"; .interval = 1s; .window = 3; .threshold = 2; .initial = 3; }
}

sub vcl_recv {
	if (req.url ~ "^/api/anime/events/stream(\?|$)") {
		return (pipe);
	}
	# One copy for each answer, not for each way to ask for it. What is less usual is left as it stands: Tayang's Vary names both.
	if (req.http.Accept-Encoding ~ "\bgzip\b" && req.http.Accept-Encoding !~ ";") {
		if (req.http.Accept-Encoding ~ "\bbr\b") {
			set req.http.Accept-Encoding = "br, gzip";
		} elsif (req.http.Accept-Encoding ~ "\bzstd\b") {
			set req.http.Accept-Encoding = "zstd, gzip";
		} else {
			set req.http.Accept-Encoding = "gzip";
		}
	}
	if (req.http.Accept-Language ~ "(?i)^id(-\w+)?(,|$)") {
		set req.http.Accept-Language = "id";
	} elsif (req.http.Accept-Language ~ "(?i)^en(-\w+)?(,|$)") {
		set req.http.Accept-Language = "en";
	}
	# Copies that are older are for when Tayang does not answer.
	if (std.healthy(req.backend_hint)) {
		set req.grace = 10m;
	}
}

sub vcl_backend_response {
	# What has no stale-if-error, such as the answer to "what is new since N", is never served stale.
	if (beresp.http.Cache-Control ~ "stale-if-error") {
		set beresp.grace = 24h;
	} else {
		set beresp.grace = 0s;
	}
	if (beresp.status >= 500 && bereq.is_bgfetch) {
		return (abandon);
	}
}
