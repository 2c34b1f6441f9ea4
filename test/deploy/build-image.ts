import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { readDockerfile, type Step } from './dockerfile.ts';

export interface Image {
  /** The folder that contains the root of the image. */
  root: string;
  /** The folder in which its command runs. */
  workdir: string;
  steps: Step[];
}

/** Runs the steps of a Dockerfile in folders instead of layers. A base image is an empty folder and this machine's programs. */
export async function buildImage(text: string, context: string, folder: string): Promise<Image> {
  const stages = readDockerfile(text);
  const rootOf = (stage: string) => path.join(folder, stage || 'image');
  let workdir = '';
  for (const [stage, steps] of stages) {
    const root = rootOf(stage);
    workdir = root;
    await mkdir(root, { recursive: true });
    for (const step of steps) await take(root, step);
  }
  return { root: rootOf(''), workdir, steps: stages.get('')! };

  async function take(root: string, { word, rest }: Step): Promise<void> {
    if (word === 'WORKDIR') {
      workdir = path.join(root, rest);
      await mkdir(workdir, { recursive: true });
    }
    if (word === 'RUN') await promisify(execFile)('sh', ['-c', rest], { cwd: workdir });
    if (word === 'COPY') await copy(rest);
  }

  async function copy(rest: string): Promise<void> {
    const words = rest.split(' ');
    const from = /^--from=(.*)$/u.exec(words[0]!)?.[1];
    const source = from ? rootOf(from) : context;
    const [target = '', ...names] = words.slice(from ? 1 : 0).reverse();
    for (const name of names) {
      // A file is copied into the target folder, the content of a folder to the target itself.
      const to = path.join(workdir, target, target.endsWith('/') ? path.basename(name) : '');
      await cp(path.join(source, name), to, { recursive: true, verbatimSymlinks: true });
    }
  }
}
