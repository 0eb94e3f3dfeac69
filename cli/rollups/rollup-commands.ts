import type { Command } from 'commander';
import { addRebuildCommand } from './rebuild-command.ts';
import { addReplayCommand } from './replay-command.ts';
import { addVerifyCommand } from './verify-command.ts';

export function addRollupCommands(program: Command): void {
  const group = program
    .command('rollups')
    .description('the sums of log entries, from which GET /api/costs answers');
  addVerifyCommand(group);
  addRebuildCommand(group);
  addReplayCommand(group);
}
