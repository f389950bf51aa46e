import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The images, as `.ci/docker --images` has built them. */
const { WAYMARK_TEST_IMAGE: image = '', WAYMARK_TEST_IMAGE_EDGE: edgeImage = '' } = process.env;

export { edgeImage, image };

export const describeWithImages = (title: string, body: () => void): void => {
  if (image !== '' && edgeImage !== '') describe(title, body);
  else describe.skip(`${title} (left out: needs the images of .ci/docker --images)`, body);
};

export type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Runs a command of Docker to its end. */
export const docker = (...words: readonly string[]): Promise<Ended> =>
  run('docker', words).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Ended) => ({ code, stdout, stderr }),
  );

/** Runs a command of Docker that must succeed, and returns what it prints. */
export const dockerText = async (...words: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await docker(...words);
  if (code !== 0) throw new Error(`docker ${words.join(' ')}: ${stderr}${stdout}`);
  return stdout.trim();
};

/** What a container of ours needs, and no more: it has a user that the image does not know, and a root file system that it cannot write to. A
 * shell is not there. */
export const restricted = ['--read-only', '--user', '12345:0', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--volume', '/dev/null:/bin/sh:ro'];
