import { createHash } from 'node:crypto';

const WIDTH = 225;
const HEIGHT = 318;

/** Renders a cover as SVG: hills under a sky, in shapes and colours that follow from the path alone. */
export function renderCover(path: string): string {
  const bytes = createHash('sha256').update(path).digest();
  const scale = (index: number, max: number) => ((bytes[index] ?? 0) / 255) * max;
  const hue = Math.round(scale(0, 360));
  const hills = [0, 1, 2].map((layer) => {
    const top = HEIGHT * (0.45 + layer * 0.17);
    const [left, middle, right] = [1, 2, 3].map((index) =>
      Math.round(top - 45 + scale(index + layer * 3, 80)),
    );
    const path = `M0 ${left}Q${WIDTH * 0.3} ${middle} ${WIDTH * 0.55} ${top}T${WIDTH} ${right}V${HEIGHT}H0Z`;
    return `<path d="${path}" fill="hsl(${(hue + 40 + layer * 18) % 360} 45% ${38 - layer * 11}%)"/>`;
  });
  const sun = `<circle cx="${40 + scale(20, 145)}" cy="${50 + scale(21, 70)}" r="${18 + scale(22, 22)}" fill="hsl(${(hue + 60) % 360} 90% 88%)"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">
<linearGradient id="s" x2="0" y2="1"><stop stop-color="hsl(${hue} 60% 45%)"/><stop offset="1" stop-color="hsl(${(hue + 50) % 360} 75% 75%)"/></linearGradient>
<rect width="100%" height="100%" fill="url(#s)"/>${sun}${hills.join('')}</svg>`;
}
