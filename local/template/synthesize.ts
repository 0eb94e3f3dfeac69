/** Synthesizes the CDK app without the start-up time of the CDK command line. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GatewayConfig } from '#lib/settings.ts';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { asObject } from '../untyped-json.ts';

/** Writes the cloud assembly, and the app's output to `<outputDirectory>.log`. */
export async function synthesize(options: {
  projectDirectory: string;
  outputDirectory: string;
  environment: NodeJS.ProcessEnv;
  /** Replaces the settings of the project's configuration file. */
  settings?: GatewayConfig;
}): Promise<void> {
  const { projectDirectory, outputDirectory, environment, settings } = options;
  rmSync(outputDirectory, { recursive: true, force: true });
  mkdirSync(outputDirectory, { recursive: true, mode: 0o700 });
  const configuration = asObject(
    JSON.parse(readFileSync(join(projectDirectory, 'cdk.json'), 'utf8')),
    'cdk.json',
  );
  const configFile = `${outputDirectory}.config.json`;
  if (settings !== undefined) writeFileSync(configFile, JSON.stringify(settings));
  const child = spawn(process.execPath, [join('bin', 'app.ts')], {
    cwd: projectDirectory,
    env: {
      ...environment,
      CDK_OUTDIR: outputDirectory,
      CDK_CONTEXT_JSON: JSON.stringify({
        ...asObject(configuration.context ?? {}, 'cdk.json: context'),
        ...(settings && { config: configFile }),
      }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = () => child.kill();
  process.once('exit', stop);
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  const [exitCode] = await once(child, 'close');
  process.off('exit', stop);
  const printed = Buffer.concat(output).toString('utf8');
  writeFileSync(`${outputDirectory}.log`, printed);
  if (exitCode !== 0) {
    throw new LocalGatewayError(
      `The stack cannot be synthesized: ${findError(printed)} (full output: ${outputDirectory}.log)`,
    );
  }
}

/** Returns the first line that looks like an error, or the last line. */
function findError(printed: string): string {
  const lines = printed.split('\n').map((line) => line.trim());
  const line =
    lines.find((text) => /^(\[?«|ERROR\b|([A-Z]\w*)?Error\b)/.test(text)) ?? lines.findLast(Boolean);
  return (line ?? 'it printed nothing').slice(0, 300);
}
