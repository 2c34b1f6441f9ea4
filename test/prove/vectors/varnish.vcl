vcl 4.1;
# Varnish with its built-in rules, which cache what a service lets it cache.
backend listing { .host = "{listing name}"; .port = "{listing own port}"; }
backend uploads { .host = "{uploads name}"; .port = "{uploads own port}"; }
sub vcl_recv { if (local.socket == "uploads") { set req.backend_hint = uploads; } }
