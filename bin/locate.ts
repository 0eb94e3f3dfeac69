/** Finds the source of a location in a function's bundle: `npm run locate -- --function Chat index.mjs:2:2345`. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AdminError, usageError } from '#cli/errors.ts';
import { readOptions } from '#cli/options.ts';
import { createProgram, runProgram } from '#cli/run-program.ts';
import { processTerminal, resolvePath, type Terminal } from '#cli/terminal.ts';
import { findSource, hasSourceMaps, type Position } from '#lib/functions/source-maps.ts';
import { type FunctionBundle, readBundles, selectBundle } from './locate/bundles.ts';
import { enclosingFunction } from './locate/enclosing-function.ts';

const help = `
Check out the commit that was deployed. A location is the field "at" of an "unexpected_error" line, and the functions have
the names of their log groups, such as Chat and ReportsLogs; the name of a deployed function works too.

Examples:
  npm run locate -- --function Chat index.mjs:2:2345
  npm run locate -- --hash 3d1f…c07a index.mjs:2:2345
  npm run locate -- --function Chat --assembly .gateway/assembly index.mjs:2:2345

Exit codes: 0 success, 1 failure, 2 invalid command line.`;

const projectDirectory = join(import.meta.dirname, '..');

const locateOptions = z.object({
  function: z.string().optional(),
  hash: z
    .string()
    .regex(/^(asset\.)?[0-9a-f]{64}(\.zip)?$/, 'must be the hash of an asset: 64 hexadecimal digits')
    .transform((text) => text.replace(/^asset\.|\.zip$/g, ''))
    .optional(),
  assembly: z.string().optional(),
});

type LocateOptions = z.output<typeof locateOptions>;

/** Resolves to the exit code, after everything has been printed. */
export function runLocate(commandLine: readonly string[], terminal = processTerminal): Promise<number> {
  const program = createProgram('npm run locate --', terminal)
    .description('Find the source of a location in a bundle that a function has logged.')
    .argument('<location>', 'file, line and column in the bundle')
    .option('--function <name>', 'the function')
    .option('--hash <hash>', "the hash of the deployed bundle's asset, to be certain of the version")
    .option('--assembly <directory>', 'written by "npm run synth" or "cdk deploy" (default: cdk.out)')
    .addHelpText('after', help);
  program.action((location: string) => locate(location, readOptions(program, locateOptions), terminal));
  return runProgram(program, commandLine, terminal);
}

function locate(location: string, options: LocateOptions, { output, errors, environment }: Terminal): void {
  const position = readLocation(location);
  const assemblyDirectory =
    options.assembly === undefined
      ? join(projectDirectory, 'cdk.out')
      : resolvePath(options.assembly, environment);
  const { assetHash, note } = selectVersion(assemblyDirectory, options);
  const source = findSource({ assemblyDirectory, assetHash }, position);
  if (source === null) throw new AdminError(`The bundle ${assetHash} has no source at ${location}`);
  output.write(`${describe(source)}\n`);
  if (note !== null) errors.write(`note: ${note}\n`);
}

function readLocation(text: string): Position {
  const [, file, line, column] = /^(?:.*[/\\])?([\w.-]+\.mjs):(\d+):(\d+)$/.exec(text) ?? [];
  if (file !== undefined) return { file, line: Number(line), column: Number(column) };
  throw usageError('The location must be a file, line and column, such as index.mjs:1:23456');
}

interface Version {
  assetHash: string;
  /** Tells that the deployed version is another one, or how to find out. */
  note: string | null;
}

function selectVersion(
  assemblyDirectory: string,
  { function: name, hash: assetHash }: LocateOptions,
): Version {
  const bundles = readBundles(assemblyDirectory);
  if (assetHash === undefined) {
    if (name === undefined) throw usageError('Pass --function NAME, --hash HASH, or both');
    if (bundles.length === 0) throw noSourceMaps(`${assemblyDirectory} has no source maps`);
    const bundle = selectBundle(bundles, name);
    return { assetHash: bundle.assetHash, note: unknownVersion(bundle) };
  }
  if (!hasSourceMaps({ assemblyDirectory, assetHash })) {
    throw noSourceMaps(`${assemblyDirectory} has no source maps of the bundle ${assetHash}`);
  }
  if (bundles.some((bundle) => bundle.assetHash === assetHash)) return { assetHash, note: null };
  const note = `The bundle was synthesized from another commit than ${assemblyDirectory} as a whole: the checkout may not match it`;
  return { assetHash, note };
}

function noSourceMaps(problem: string): AdminError {
  return new AdminError(
    `${problem}: check out the commit that was deployed, and run "npm run synth"; for the local run, pass --assembly .gateway/assembly`,
  );
}

function unknownVersion({ stackName, logicalId, assetHash }: FunctionBundle): string {
  const query = `aws cloudformation describe-stack-resource --stack-name ${stackName} --logical-resource-id ${logicalId} --query StackResourceDetail.Metadata`;
  return `This is right if the deployed bundle is ${assetHash}, as this command prints it: ${query}`;
}

/** With the line of the checkout, if it has the file. */
function describe({ file, line, column }: Position): string {
  const path = join(projectDirectory, file);
  const location = `${file}:${line}:${column}`;
  if (!existsSync(path)) return location;
  const source = readFileSync(path, 'utf8');
  const name = enclosingFunction(source, { file, line, column });
  const text = source.split('\n')[line - 1]?.trim() ?? '';
  return `${location}${name === null ? '' : ` in ${name}`}\n  ${text}`;
}

if (import.meta.main) process.exitCode = await runLocate(process.argv.slice(2));
