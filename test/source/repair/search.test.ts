import { describe, expect, test } from 'vitest';
import { elementsIn, RepairError, sample } from '../../../src/source/repair/search.ts';
import { one, searchIn, TITLE } from '../support/shelf.ts';

const names = (elements: { name: string }[]) => elements.map(({ name }) => name);

describe('a search', () => {
  test('finds elements, and those that an element has around it', () => {
    const search = searchIn('<div><p><b>x</b></p></div>');
    expect(names(search.find('p b'))).toEqual(['b']);
    expect(names(search.find('& > b', new Set([one(search, 'p')])))).toEqual(['b']);
    expect(names(search.ancestorsOf(one(search, 'b')))).toEqual(['p', 'div']);
  });

  test('measures elements by their nodes, of which those inside others count again', () => {
    const search = searchIn('<div><p>x<b>y</b></p></div>');
    expect(search.sizeOf(one(search, 'b'))).toBe(2);
    expect(search.sizeOf(one(search, 'p'))).toBe(5);
    expect(search.sizeOf(one(search, 'div'))).toBe(7);
    expect(search.sizeOf(one(searchIn('<p>'), 'p'))).toBe(1);
  });

  test('lists twelve attributes at most, without classes, ids and odd names', () => {
    const long = `data-${'x'.repeat(36)}`;
    const search = searchIn(`<p class=a id=b href=c data-d=e @f=g f@g=h 1h=i ${long}=j title=k>x</p>`);
    expect(search.attributesOf(one(search, 'p'))).toEqual(['href', 'data-d', 'title']);
    const many = searchIn(
      `<p ${Array.from({ length: 20 }, (_, at) => `a${at}=x`).join(' ')} ${'b'.repeat(40)}=x>`,
    );
    expect(many.attributesOf(one(many, 'p'))).toHaveLength(12);
    const limit = searchIn(`<p ${'b'.repeat(40)}=x>`);
    expect(limit.attributesOf(one(limit, 'p'))).toEqual(['b'.repeat(40)]);
  });

  test('reads the text or an attribute of an element, where it has the format', () => {
    const search = searchIn('<p title="Judul 2">Judul 1</p><p title=x>x</p>');
    const [good, bad] = search.find('p');
    expect(search.read(TITLE.format, good!)).toBe('Judul 1');
    expect(search.read(TITLE.format, good!, 'title')).toBe('Judul 2');
    expect(search.read(TITLE.format, good!, 'alt')).toBeUndefined();
    expect(search.read(TITLE.format, bad!)).toBeUndefined();
  });

  test('does not read texts of more than 2,048 characters', () => {
    const format = { rawText: TITLE.format.rawText, parse: (text: string) => text.length };
    const read = (length: number) => {
      const search = searchIn(`<p title="${'x'.repeat(length)}">`);
      return search.read(format, one(search, 'p'), 'title');
    };
    expect(read(2_048)).toBe(2_048);
    expect(read(2_049)).toBeUndefined();
  });
});

describe('the work of a search', () => {
  const EXHAUSTED = 'the page is too large to be searched';
  /** What is spent by the work, found by how much more can be spent. */
  function costOf(html: string, work: (search: ReturnType<typeof searchIn>) => void): number {
    const canSpend = (more: number) => {
      const search = searchIn(html);
      work(search);
      try {
        search.spend(more);
        return true;
      } catch {
        return false;
      }
    };
    let [low, high] = [0, 600_000];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (canSpend(middle)) low = middle;
      else high = middle - 1;
    }
    return 600_000 - low;
  }

  test('is limited', () => {
    const search = searchIn('<p>');
    search.spend(600_000);
    expect(() => search.spend(1)).toThrow(RepairError);
    expect(() => search.spend(1)).toThrow(EXHAUSTED);
  });

  test('is limited on a page without elements', () => {
    const search = searchIn('x');
    expect(search.find('div p')).toEqual([]);
    expect(() => search.spend(600_000)).toThrow(EXHAUSTED);
  });

  test('counts what is compared, with the depth of the page where a selector has steps', () => {
    const html = '<div><p>x</p><p>y</p></div>';
    expect(costOf(html, () => {})).toBe(0);
    expect(costOf(html, (search) => search.find('p'))).toBe(20 + 2);
    // The elements are 0, 1 and 1 deep.
    expect(costOf(html, (search) => search.find('div p'))).toBe(Math.ceil(20 + 2 * (1 + 2 / 3)));
    expect(costOf(html, (search) => search.ancestorsOf(one(search, 'p')))).toBe(1 + 1);
  });

  test('counts what is read', () => {
    const html = '<p title=x>x<b>y</b></p>';
    expect(costOf(html, (search) => search.read(TITLE.format, one(search, 'p'), 'title'))).toBe(4);
    expect(costOf(html, (search) => search.read(TITLE.format, one(search, 'p')))).toBe(4 + 5);
    expect(costOf(html, (search) => elementsIn(search, one(search, 'p')))).toBe(5);
  });
});

test('of a container, all elements that can have a field are listed, itself included', () => {
  const hidden = '<script>a</script><style>b</style><template><i>c</i></template>';
  const search = searchIn(`<div>${hidden}<noscript><img></noscript><p>x<b>y</b></p></div>`);
  expect(names(elementsIn(search, one(search, 'div')))).toEqual(['div', 'p', 'b']);
});

test('of a container inside a noscript, nothing is listed', () => {
  const search = searchIn('<noscript><div><p>x</p></div></noscript>');
  expect(names(elementsIn(search, one(search, 'div')))).toEqual([]);
});

test('a sample is spread evenly', () => {
  expect(sample([1, 2, 3], 3)).toEqual([1, 2, 3]);
  expect(sample([1, 2], 3)).toEqual([1, 2]);
  expect(sample([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 4)).toEqual([0, 2, 5, 7]);
});
