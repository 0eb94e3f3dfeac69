/** Synthesizes the CDK app without the start-up time of the CDK command line, unless it has been synthesized before. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  addBuild,
  type Build,
  contentKey,
  createStagingDirectory,
  findBuild,
  projectRoot,
} from '#lib/build-cache.ts';
import { compileCacheVariable } from '#lib/cache-directory.mjs';
import type { ConfigSource } from '#lib/settings/config-file.ts';
import type { SentConfig } from '#lib/settings/send-config.ts';
import type { GatewayConfig } from '#lib/settings/settings.ts';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { asObject } from '../untyped-json.ts';

/** All files from which an assembly is made, except for packages and the settings. Relative to the project. */
export const assemblySources = ['bin/app.ts', 'cdk.json', 'dashboard', 'lambdas', 'lib'] as const;

interface SynthesisRequest {
  /** May be read by the configuration file. The rest of the app depends on none of its variables. */
  environment: NodeJS.ProcessEnv;
  /** The CDK context of the command line, whose `config` is the configuration file. Default: that of the project. */
  context?: Readonly<Record<string, string>>;
  /** Replaces the settings of the project's configuration file. */
  settings?: GatewayConfig;
  /** Called with each step of a synthesis. */
  onProgress?: (step: string) => void;
  /** Default: the project. */
  projectDirectory?: string;
}

/** Returns the directory of the cloud assembly in the build cache, which must not be changed. */
export async function findOrSynthesize(request: SynthesisRequest): Promise<string> {
  const { onProgress = () => {} } = request;
  const settings = request.settings ?? (await readSettings(request));
  const build = assemblyBuild(settings, request.projectDirectory);
  const existing = findBuild(build);
  if (existing !== undefined) return existing;
  const stagingDirectory = createStagingDirectory();
  try {
    await synthesize(stagingDirectory, { ...request, settings, onProgress });
    return addBuild(build, stagingDirectory);
  } catch (error) {
    rmSync(stagingDirectory, { recursive: true, force: true });
    throw error;
  }
}

export function assemblyBuild(settings: GatewayConfig, directory = projectRoot): Build {
  const key = contentKey({ sources: assemblySources, values: [JSON.stringify(settings)], directory });
  return { kind: 'assembly', key, part: 'assembly' };
}

/**
 * Returns the settings of the configuration file, which may depend on the environment and on other files. Rejects with the
 * line that `cdk synth` prints when they are invalid.
 */
export async function readSettings(request: SynthesisRequest): Promise<GatewayConfig> {
  const { environment, context = {}, projectDirectory = projectRoot } = request;
  // npm changes to the project's directory.
  const workingDirectory = environment.INIT_CWD ?? process.cwd();
  const source: ConfigSource = { context, projectDirectory, workingDirectory };
  const child = fork(join(projectRoot, 'lib/settings/send-config.ts'), [JSON.stringify(source)], {
    cwd: projectDirectory,
    env: { ...environment, ...compileCacheVariable() },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const messages: SentConfig[] = [];
  child.on('message', (message) => messages.push(message as SentConfig));
  await waitForExit(child);
  const [sent] = messages;
  if (sent === undefined) throw new Error('The settings were not sent');
  if ('error' in sent) throw new LocalGatewayError(sent.error);
  return sent.settings;
}

/** Variables that change no output of the app. It gets no others, so that the same sources make the same assembly. */
const inheritedVariables = ['HOME', 'PATH', 'TMPDIR', 'XDG_CACHE_HOME'];

async function synthesize(
  outputDirectory: string,
  request: SynthesisRequest & { settings: GatewayConfig; onProgress: (step: string) => void },
): Promise<void> {
  const { environment, settings, onProgress, projectDirectory = projectRoot } = request;
  const configFile = join(outputDirectory, 'settings.json');
  writeFileSync(configFile, JSON.stringify(settings));
  const { context = {} } = asObject(
    JSON.parse(readFileSync(join(projectDirectory, 'cdk.json'), 'utf8')),
    'cdk.json',
  );
  const child = spawn(process.execPath, [join('bin', 'app.ts')], {
    cwd: projectDirectory,
    env: {
      ...Object.fromEntries(inheritedVariables.map((name) => [name, environment[name] ?? process.env[name]])),
      CDK_OUTDIR: outputDirectory,
      ...compileCacheVariable(),
      // CDK's validation of templates takes two seconds, and does not change them: it is left to `npm run synth`.
      CDK_VALIDATION: 'false',
      CDK_CONTEXT_JSON: JSON.stringify({ ...asObject(context, 'cdk.json: context'), config: configFile }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onProgress('Synthesizing the stack, which takes up to a minute after a change of the code');
  await waitForExit(child, (line) => {
    if (line.startsWith('Building ')) onProgress(line);
  });
}

/** Rejects when the process fails. It ends when this process exits. */
async function waitForExit(child: ChildProcess, onLine: (line: string) => void = () => {}): Promise<void> {
  const stop = () => child.kill();
  process.once('exit', stop);
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      printed.push(line);
      onLine(line);
    });
  }
  const [exitCode] = await once(child, 'close');
  process.off('exit', stop);
  if (exitCode === 0) return;
  throw new LocalGatewayError(
    `The stack cannot be synthesized: ${findError(printed)} ("npm run synth" prints everything)`,
  );
}

/** Returns the first line that looks like an error, or the last line. */
function findError(printed: readonly string[]): string {
  const lines = printed.map((line) => line.trim());
  const line =
    lines.find((text) => /^(\[?«|ERROR\b|([A-Z]\w*)?Error\b)/.test(text)) ?? lines.findLast(Boolean);
  return (line ?? 'it printed nothing').slice(0, 300);
}
