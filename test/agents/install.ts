/**
 * Installs agents from the registry into the cache of the user, once for each version. They are no dependencies of the
 * project, which they would slow down: together they have 1 GB.
 */
import { execFile } from 'node:child_process';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from '#lib/cache-directory.mjs';

const platform = `${process.platform}-${process.arch}`;

/** The names of platforms in Rust. */
const targets: Record<string, string> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
};

/** With the program's path in the packages of a platform. */
export const agents = {
  claudeCode: {
    name: '@anthropic-ai/claude-code',
    version: '2.1.332',
    program: `@anthropic-ai/claude-code-${platform}/claude`,
  },
  codex: {
    name: '@openai/codex',
    version: '0.171.0',
    program: `@openai/codex-${platform}/vendor/${targets[platform]}/bin/codex`,
  },
  opencode: {
    name: 'opencode-ai',
    version: '1.18.33',
    program: `opencode-${platform}/bin/opencode`,
  },
  qwenCode: {
    name: '@qwen-code/qwen-code',
    version: '0.24.4',
    program: '@qwen-code/qwen-code/cli-entry.js',
  },
} as const;

interface Agent {
  name: string;
  version: string;
  program: string;
}

/** Returns the path of the program. */
export async function installAgent({ name, version, program }: Agent): Promise<string> {
  const directory = join(cacheDirectory(), 'agents', `${name.replaceAll('/', '-')}-${version}`);
  const path = join(directory, 'node_modules', program);
  if (await exists(path)) return path;
  const unfinished = `${directory}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact'];
  await promisify(execFile)('npm', ['install', '--prefix', unfinished, ...options, `${name}@${version}`]);
  await rm(directory, { recursive: true, force: true });
  await rename(unfinished, directory);
  return path;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
