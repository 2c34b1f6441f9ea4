<?php
const EVENTS = '{listing}/api/anime/events';
const WEBHOOK = 'https://discord.com/api/webhooks/ID/TOKEN';
// The position after the last event. The first time it is now; after a restart it is where the program ended.
const FILE = 'last-event.json';

function announce(array $event): void
{
    $embed = ['title' => "{$event['title']} – episode {$event['episode']}", 'url' => $event['page']];
    if ($event['image']) {
        $embed['thumbnail'] = ['url' => $event['image']];
    }
    $options = [
        'method' => 'POST',
        'header' => ['Content-Type: application/json', 'User-Agent: announce.php'],
        'content' => json_encode(['embeds' => [$embed]]),
    ];
    request(WEBHOOK, $options);
}

function request(string $url, array $options = []): string
{
    $answer = @file_get_contents($url, false, stream_context_create(['http' => $options]));
    if ($answer === false) {
        throw new Exception(error_get_last()['message']);
    }
    return $answer;
}

function keep(array $position): void
{
    file_put_contents(FILE . '.new', json_encode($position));
    rename(FILE . '.new', FILE);
}

while (true) {
    try {
        $last = is_file(FILE) ? json_decode(file_get_contents(FILE), true) : ['since' => 'now'];
        $data = json_decode(request(EVENTS . '?' . http_build_query($last)), true)['data'];
        foreach ($data['complete'] ? $data['events'] : [] as $event) {
            if ($event['type'] === 'new-episode') {
                announce($event);
            }
            keep(['since' => $event['number'], 'epoch' => $data['epoch']]);
        }
        keep(['since' => $data['last'], 'epoch' => $data['epoch']]);
    } catch (Exception $error) {
        echo $error->getMessage(), "\n";
    }
    sleep(60);
}
