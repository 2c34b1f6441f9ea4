import { describe, expect, test } from 'vitest';
import { DAYS, MONTHS } from '../../src/domain/listing.ts';
import {
  explainEpisode,
  parseDate,
  parseDay,
  parseEpisode,
  parseOngoingDay,
} from '../../src/source/vocabulary.ts';

describe('a day', () => {
  const ENGLISH = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

  test.each([
    ...DAYS.map((day) => [day, day]),
    ...DAYS.map((day) => [day.toUpperCase(), day]),
    ...DAYS.map((day) => [`\n\t ${day}\u00a0 `, day]),
    ...ENGLISH.map((word, index) => [word, DAYS[index]]),
    ...ENGLISH.map((word, index) => [word.slice(0, 3).toLowerCase(), DAYS[index]]),
    ["Jum'at", 'Jumat'],
    ['Jum’at', 'Jumat'],
    ['Jum‘at', 'Jumat'],
    ['Jum`at', 'Jumat'],
    ['Jumʼat', 'Jumat'],
    ["jum'AT", 'Jumat'],
    ['Ahad', 'Minggu'],
  ])('%j is %s, on a card and in the schedule', (text, day) => {
    expect(parseOngoingDay(text ?? '')).toBe(day);
    expect(parseDay(text ?? '')).toBe(day);
  });

  test.each(['None', 'none', ' NONE '])('%j is a day on a card, but not in the schedule', (text) => {
    expect(parseOngoingDay(text)).toBe('None');
    expect(parseDay(text)).toBeUndefined();
  });

  test.each(['', ' ', '-', 'Lusa', 'Besok', '6.52', '1', 'Senin, Selasa', 'Senins', 'Hari', 'constructor'])(
    '%j is unreadable',
    (text) => {
      expect(parseOngoingDay(text)).toBeUndefined();
      expect(parseDay(text)).toBeUndefined();
    },
  );
});

describe('a date', () => {
  const INDONESIAN =
    'Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember'.split(' ');
  const ENGLISH =
    'January February March April May June July August September October November December'.split(' ');

  test.each(MONTHS.map((month, index) => [month, INDONESIAN[index] ?? '', ENGLISH[index] ?? '']))(
    '%s is also %s and %s, in any case',
    (month, indonesian, english) => {
      for (const word of [month, indonesian, english, english.slice(0, 3)]) {
        expect([word, parseDate(`06 ${word}`)]).toEqual([word, `6 ${month}`]);
        expect([word, parseDate(`15 ${word.toUpperCase()}`)]).toEqual([word, `15 ${month}`]);
      }
    },
  );

  test.each([
    ['06 Des', '6 Des'],
    ['6 Des', '6 Des'],
    ['06\u00a0Des', '6 Des'],
    [' \n06 \t Des ', '6 Des'],
    ['15-Agu', '15 Agu'],
    ['15 Agustus 2026', '15 Agu'],
    ['29 Feb', '29 Feb'],
    ['30 Nov', '30 Nov'],
    ['31 Jan', '31 Jan'],
  ])('%j is %s', (text, date) => {
    expect(parseDate(text)).toBe(date);
  });

  test.each([
    ...['30 Feb', '31 Feb', '31 Apr', '31 Jun', '31 Sep', '31 Nov', '32 Des', '00 Jan', '0 Jan', '-1 Jan'],
    ...['', '15', 'Agu', '15 Foo', '15 A', '1.5 Agu', '115 Agu', '15 Agu 16 Agu', '15/08', '2026-08-15'],
    ...['kemarin', '2 jam', '15 constructor'],
  ])('%j is unreadable', (text) => {
    expect(parseDate(text)).toBeUndefined();
  });
});

describe('an episode', () => {
  test.each([
    ['Episode 18', 18],
    ['Episode 1', 1],
    ['Episode 1155', 1155],
    ['episode 07', 7],
    ['\n Episode\u00a07 ', 7],
    ['Eps 7', 7],
    ['Ep. 7', 7],
    ['Episode: 7', 7],
  ])('%j is %i', (text, episode) => {
    expect(parseEpisode(text)).toBe(episode);
  });

  test.each([
    ...['12 END', '12 (END)', '12 [End]', '12 Tamat', '12 - end', 'Episode 12 END', 'Episode 12 (End)'],
    ...['Eps 12 ( end )', 'Episode 12-End', 'Episode 12 (Tamat)', 'Ep.12\u00a0\u200b(END)'],
  ])('%j, the last of its season, is 12', (text) => {
    expect(parseEpisode(text)).toBe(12);
  });

  test.each([
    ...['12 Episode', 'Episode 12.5', 'Episode 12,5', 'Episode 3-4', 'Episode -3', 'Episode 1e3'],
    ...['', 'Episode', 'Episode ?', 'Episode XII', '18', 'Tamat', 'Movie 2', 'Episodes'],
    ...['END', 'Episode END', '12.5 END', '1-12 (END)', 'Movie END', '12 ENDING', '12 Episode END'],
  ])('%j is unreadable', (text) => {
    expect(parseEpisode(text)).toBeUndefined();
  });

  test.each([
    ['Episode 12.5', /a part of an episode/u],
    ['Episode 12,5 (END)', /a part of an episode/u],
    ['Episode 1-3', /several episodes/u],
    ['1 – 3', /several episodes/u],
    ['Episode 11 & 12', /several episodes/u],
    ['Movie', /no number/u],
    ['Movie 2', /no number/u],
    ['OVA', /no number/u],
    ['Episode Special', /no number/u],
    ['12 Episode', /not "Episode" and a whole number/u],
  ])('the fault of %j says why it is not an episode', (text, why) => {
    expect(explainEpisode(text)).toMatch(why);
  });
});
