import { dropMidway, first, LIST, only, serving, silence } from '../../faults/answers.ts';
import type { Defer } from '../../support/defer.ts';
import { always, type Fault, openTestSource, type TestSource } from '../../support/source.ts';

const EPISODE_EVERY_MS = 45_000;
const PHASE_MS = 90_000;
const SLOW_MS = 1_000;

/** The sample site, which airs an episode every 45 s and has another fault in every other phase of 90 s. */
export async function openFaultySite(defer: Defer): Promise<TestSource> {
  const site = await openTestSource(defer, new Date());
  const phases = faultPhases(site);
  let phase = 0;
  const airing = setInterval(() => site.catalogue.airNextEpisode(new Date()), EPISODE_EVERY_MS);
  const changing = setInterval(() => {
    phase += 1;
    site.fault = phases[phase % phases.length]?.();
  }, PHASE_MS);
  defer(() => {
    clearInterval(airing);
    clearInterval(changing);
  });
  return site;
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
