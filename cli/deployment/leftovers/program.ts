/** `npm run leftovers`: lists the resources that failed and deleted stacks have left, and removes the empty ones. */

import type { Command } from 'commander';
import { z } from 'zod';
import { toAdminError } from '#cli/connection/aws-errors.ts';
import { readAwsSettings } from '#cli/connection/aws-settings.ts';
import { addAwsOptions, awsOptions } from '#cli/connection/stack-options.ts';
import { AdminError } from '#cli/errors.ts';
import { readOptions } from '#cli/options.ts';
import { createProgram, runProgram } from '#cli/run-program.ts';
import { processTerminal, type Terminal } from '#cli/terminal.ts';
import { textTable } from '#cli/text-table.ts';
import { isInProgress } from '../stacks.ts';
import { leftoversCommand } from './command-line.ts';
import { findLeftovers, type Leftovers } from './find.ts';
import { type Contents, inspect, removeIfEmpty } from './remove.ts';

const help = `
Lists what failed stacks of this name, and those that were deleted in the last 90 days, have retained. With --remove,
removes the resources without data. It refuses tables with items, user pools with users, secrets with credentials, queues
with messages, log groups with log streams, and whatever belongs to another stack.

Examples:
  npm run leftovers -- --stack AiGateway
  npm run leftovers -- --stack AiGateway --region eu-west-1 --remove

Exit codes: 0 success, 1 something was refused or failed, 2 invalid command line.`;

const leftoversOptions = z.object({
  stack: z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,127}$/, 'must be the name of a CloudFormation stack'),
  remove: z.boolean().default(false),
  ...awsOptions,
});

/** Resolves to the exit code, after everything has been printed. */
export function runLeftovers(commandLine: readonly string[], terminal = processTerminal): Promise<number> {
  const program = createProgram('npm run leftovers --', terminal)
    .description('List or remove what failed and deleted stacks have left.')
    .requiredOption('--stack <name>', 'name of the stacks')
    .option('--remove', 'remove the resources that hold no data');
  addAwsOptions(program)
    .addHelpText('after', help)
    .action((_options: object, command: Command) => leftovers(command, terminal));
  return runProgram(program, commandLine, terminal);
}

async function leftovers(command: Command, { output, environment }: Terminal): Promise<void> {
  const { stack: stackName, remove, ...options } = readOptions(command, leftoversOptions);
  const settings = await readAwsSettings(options, environment);
  const leftovers = await findLeftovers(stackName, settings).catch((error: unknown) => {
    throw toAdminError(error, settings);
  });
  const { stack, kept } = leftovers;
  const print = (line: string) => output.write(`${line}\n`);

  print(
    `Stack ${stackName} in ${settings.region} (${settings.regionSource}): ${stack?.status ?? 'does not exist'}`,
  );
  for (const { type, id, reason } of kept) print(`kept: ${type} ${id}: ${reason}`);
  if (remove) {
    if (stack !== null && isInProgress(stack)) {
      throw new AdminError(
        `Stack "${stackName}" is ${stack.status}: wait until CloudFormation has finished, then run the command again`,
      );
    }
    await removeAll(leftovers, print);
  } else {
    print(await listText(leftovers, leftoversCommand(stackName, settings)));
  }
}

/** `command` is the command line that prints the list. */
async function listText({ found }: Leftovers, command: string): Promise<string> {
  if (found.length === 0) return 'No resources of former stacks remain';
  const rows: string[][] = [];
  let emptyCount = 0;
  for (const leftover of found) {
    const contents = await inspect(leftover);
    if (contents.state === 'empty') emptyCount += 1;
    rows.push([leftover.kind.name, leftover.id, contentsText(contents)]);
  }
  const table = textTable(['RESOURCE', 'ID', 'CONTENTS'], rows);
  if (emptyCount === 0) return table;
  return `${table}\n${emptyCount} of ${found.length} can be removed: ${command} --remove`;
}

function contentsText(contents: Contents): string {
  return contents.state === 'empty' ? 'empty' : contents.reason;
}

/** Throws an `AdminError` if a resource remains. Whatever is removed before an interruption stays removed. */
async function removeAll({ found }: Leftovers, print: (line: string) => void): Promise<void> {
  let remainingCount = 0;
  for (const leftover of found) {
    const name = `${leftover.kind.name} ${leftover.id}`;
    const removal = await removeIfEmpty(leftover);
    if (removal.result === 'removed') {
      print(`removed: ${name}`);
    } else {
      remainingCount += 1;
      print(`${removal.result}: ${name}: ${removal.reason}`);
    }
  }
  if (remainingCount > 0) {
    throw new AdminError(
      `${remainingCount} of ${found.length} resources remain: "Failed deployments and removal" in docs/deploy.md explains how to delete data`,
    );
  }
  print(found.length === 0 ? 'No resources of former stacks remain' : `All ${found.length} are removed`);
}
