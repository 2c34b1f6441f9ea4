import { renderOngoingPage } from '../../../src/demo/pages.ts';
import { rewriting, type TestSource } from '../../support/source.ts';

/** Makes a source replace a text in the pages of its ongoing list. */
export function rewritingList(from: string, to: string): (source: TestSource) => void {
  return (source) => {
    const render = (url: string) => {
      const match = /^\/ongoing-anime\/(?:page\/(\d+)\/)?$/u.exec(url);
      return match
        ? renderOngoingPage(source.origin, source.catalogue.anime, Number(match[1] ?? 1))
        : undefined;
    };
    source.fault = rewriting(render, (html) => html.replaceAll(from, to));
  };
}
