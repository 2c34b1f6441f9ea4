import { createCatalogue } from '../../../src/demo/catalogue.ts';
import { openSampleSite } from '../../../src/demo/sample-site.ts';
import { dropMidway, first, LIST, only, serving, silence } from '../../faults/answers.ts';
import { always, type Fault, type TestSource } from '../../support/source.ts';

const EPISODE_EVERY_MS = 45_000;
const PHASE_MS = 90_000;
const SLOW_MS = 1_000;

/** The sample site, which airs an episode every 45 s and has another fault in every other phase of 90 s. */
export async function openFaultySite() {
  const catalogue = createCatalogue(new Date());
  const site = await openSampleSite({
    catalogue,
    intercept: (request, response) => fault?.(request, response) ?? false,
  });
  const source: TestSource = { ...site, catalogue, requests: [], fault: undefined };
  const phases = faultPhases(source);
  let phase = 0;
  let fault: Fault | undefined;
  const airing = setInterval(() => catalogue.airNextEpisode(new Date()), EPISODE_EVERY_MS);
  const changing = setInterval(() => {
    phase += 1;
    fault = phases[phase % phases.length]?.();
  }, PHASE_MS);
  return {
    origin: site.origin,
    async close() {
      clearInterval(airing);
      clearInterval(changing);
      await site.close();
    },
  };
}

/** What `fault` is in each phase. A function makes each, because some count the requests of their phase. */
function faultPhases(site: TestSource): (() => Fault | undefined)[] {
  const plain = () => undefined;
  const faults: (() => Fault)[] = [
    () => everyOther(always(500, 'Internal Server Error')),
    () => only(LIST, always(200)),
    () => serving(site, (html, response) => void setTimeout(() => response.end(html), SLOW_MS)),
    () => everyOther((request) => Boolean(request.socket.resetAndDestroy())),
    () => first(5, serving(site, dropMidway)),
    () => always(403, 'Forbidden'),
    () => only(LIST, silence),
  ];
  return faults.flatMap((fault) => [plain, fault]);
}

function everyOther(fault: Fault): Fault {
  let count = 0;
  return (request, response) => {
    count += 1;
    return count % 2 === 1 && fault(request, response);
  };
}
