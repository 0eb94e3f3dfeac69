import type { Command } from 'commander';
import { addRebuildCommand } from './rollups/rebuild-command.ts';
import { addReplayCommand } from './rollups/replay-command.ts';
import { addVerifyCommand } from './rollups/verify-command.ts';

export function addRollupCommands(program: Command): void {
  const group = program
    .command('rollups')
    .description('the sums of log entries, from which GET /api/costs answers');
  addVerifyCommand(group);
  addRebuildCommand(group);
  addReplayCommand(group);
}
