/** The browser of the tests: the Chromium of `@sparticuz/chromium` on Linux x64, an installed Chrome elsewhere. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { inflate } from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

const cacheDirectory = resolve(import.meta.dirname, '../../../node_modules/.cache/chromium');

/** The package's own arguments switch web security off: tests of other sites would pass or fail for nothing. */
const launchArguments = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];

export async function launchBrowser(): Promise<Browser> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return chromium.launch({ channel: 'chrome' });
  const directory = await unpackedChromium();
  const executablePath = join(directory, 'chromium');
  const env = {
    ...process.env,
    // The fonts of the package make the pictures the same on every machine.
    FONTCONFIG_FILE: join(directory, fontsFile),
    ...missingLibraries(directory, executablePath),
  };
  return chromium.launch({ executablePath, args: launchArguments, env: withoutUndefined(env) });
}

/** Unpacks the browser once for each version of the package. Test files that do so at the same time are safe. */
async function unpackedChromium(): Promise<string> {
  const packages = dirname(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')));
  const { version } = createRequire(import.meta.url)(join(packages, 'package.json')) as { version: string };
  const directory = join(cacheDirectory, version);
  if (existsSync(join(directory, fontsFile))) return directory;
  await mkdir(cacheDirectory, { recursive: true });
  const staging = await mkdtemp(join(cacheDirectory, 'unpacking-'));
  await inflateInto(staging, join(packages, 'bin'));
  await writeFile(join(staging, fontsFile), fontsConfiguration(join(directory, 'fonts')));
  try {
    await rename(staging, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
    await rm(staging, { recursive: true });
  }
  return directory;
}

const fontsFile = 'fonts/local.conf';

/** The package's own file names the directories of a Lambda function. */
function fontsConfiguration(directory: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${directory}</dir>
  <cachedir>${directory}/cache</cachedir>
</fontconfig>
`;
}

/** `inflate` writes to the temporary directory, which it looks up before it returns. */
async function inflateInto(directory: string, archives: string): Promise<void> {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = directory;
  const inflating = ['chromium.br', 'fonts.tar.br', 'al2023.tar.br'].map((name) =>
    inflate(join(archives, name)),
  );
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  await Promise.all(inflating);
}

/** Uses the libraries of the package only where the system lacks them. */
function missingLibraries(directory: string, executablePath: string): NodeJS.ProcessEnv {
  const starts = spawnSync(executablePath, ['--version'], { stdio: 'ignore' }).status === 0;
  return starts ? {} : { LD_LIBRARY_PATH: join(directory, 'al2023', 'lib') };
}

function withoutUndefined(variables: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
