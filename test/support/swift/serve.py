"""Runs OpenStack Swift with its S3 API on free ports of the loopback: `serve.py FOLDER KEY SECRET`.

Prints the port of the S3 API once all four servers accept requests. Ends when its standard input is closed.
"""

import os
import socket
import sys
import textwrap

import eventlet
from eventlet.hubs import trampoline, use_hub
from swift.common import utils

STORES = ('account', 'container', 'object')
CONFIG = '''
    [DEFAULT]
    swift_dir = {folder}
    devices = {folder}/devices
    mount_check = false
    log_level = CRITICAL
    # A busy machine must not make a server look dead, which Swift would remember for a minute.
    conn_timeout = 30
    node_timeout = 60

    [pipeline:main]
    pipeline = {pipeline}
    [app:account-server]
    use = egg:swift#account
    [app:container-server]
    use = egg:swift#container
    [app:object-server]
    use = egg:swift#object
    container_update_timeout = 60
    [app:proxy-server]
    use = egg:swift#proxy
    account_autocreate = true
    error_suppression_limit = 1000000

    [filter:cache]
    paste.filter_factory = serve:open_cache
    [filter:s3api]
    use = egg:swift#s3api
    location = us-east-1
    [filter:tempauth]
    use = egg:swift#tempauth
    user_{key} = {secret} .admin
    [filter:bulk]
    use = egg:swift#bulk
    [filter:slo]
    use = egg:swift#slo
'''
PROXY = 'cache s3api tempauth bulk slo proxy-server'
POLICY = '''
    [swift-hash]
    swift_hash_path_suffix = test
    [storage-policy:0]
    name = only
    default = yes
'''


class Cache:
    """Takes the place of memcached, in the memory of the proxy server."""

    def __init__(self):
        self.values = {}

    def get(self, key, **_):
        return self.values.get(key)

    def set(self, key, value, **_):
        self.values[key] = value

    def delete(self, key, **_):
        self.values.pop(key, None)


def open_cache(_settings, **_):
    cache = Cache()

    def add_cache(app):
        def handle(request, start_response):
            request['swift.cache'] = cache
            return app(request, start_response)

        return handle

    return add_cache


def write(path, text):
    with open(path, 'w') as file:
        file.write(textwrap.dedent(text))


def listen():
    server = socket.socket()
    server.bind(('127.0.0.1', 0))
    # The servers answer a request in several small writes.
    server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server.listen(128)
    return server


def write_ring(folder, name, port):
    """A ring of one device: each object has one replica."""
    from swift.common.ring import RingBuilder
    builder = RingBuilder(0, 1, 0)
    address = {'ip': '127.0.0.1', 'port': port, 'replication_ip': '127.0.0.1', 'replication_port': port}
    builder.add_dev({'id': 0, 'region': 1, 'zone': 1, 'weight': 1, 'device': 'disk', **address})
    builder.rebalance()
    builder.get_ring().save('%s/%s.ring.gz' % (folder, name))


def end_with_parent():
    trampoline(0, read=True)
    os._exit(0)


def serve(config, name, server, ready):
    from swift.common.wsgi import appconfig, run_server
    use_hub(utils.get_hub())

    def tell():
        eventlet.spawn(end_with_parent)
        os.write(ready, b'.')

    settings = appconfig(config, name='%s-server' % name)
    run_server(settings, utils.get_logger(settings, name), server, {'log_name': name}, tell)


def main(folder, key, secret):
    # Loads what all servers need before they are forked, so that it is loaded once.
    utils.eventlet_monkey_patch()
    os.makedirs('%s/devices/disk' % folder)
    write('%s/swift.conf' % folder, POLICY)
    utils.set_swift_dir(folder)
    from swift.common.storage_policy import reload_storage_policies
    reload_storage_policies()
    servers = {name: listen() for name in (*STORES, 'proxy')}
    for name in STORES:
        write_ring(folder, name, servers[name].getsockname()[1])
    is_ready, ready = os.pipe()
    for name, server in servers.items():
        config = '%s/%s.conf' % (folder, name)
        pipeline = PROXY if name == 'proxy' else '%s-server' % name
        write(config, CONFIG.format(folder=folder, pipeline=pipeline, key=key, secret=secret))
        if os.fork() == 0:
            serve(config, name, server, ready)
    for _ in servers:
        os.read(is_ready, 1)
    print(servers['proxy'].getsockname()[1], flush=True)
    os.read(0, 1)


if __name__ == '__main__':
    main(*sys.argv[1:])
