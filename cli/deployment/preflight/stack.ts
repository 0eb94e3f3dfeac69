/** The stack of the name, and what former ones have left. */

import { leftoversCommand } from '../leftovers/command-line.ts';
import { findLeftovers, type Leftover } from '../leftovers/find.ts';
import { isInProgress, type StackState } from '../stacks.ts';
import type { Check, Deployment, Finding } from './check.ts';

export const existingStack: Check = {
  name: 'stack',
  permissions: ['cloudformation:DescribeStacks'],
  async run(deployment) {
    const stack = await deployment.findStack();
    // In review: a change set was created, but not executed.
    if (stack === null || stack.status === 'REVIEW_IN_PROGRESS') {
      const { stackName } = deployment.settings;
      return { status: 'ok', message: `There is no stack ${stackName}: the deployment creates it` };
    }
    return describeStack(deployment, stack);
  },
};

function describeStack({ settings: { stackName }, aws }: Deployment, stack: StackState): Finding {
  const { status } = stack;
  const message = `Stack ${stackName} is ${status}`;
  if (isInProgress(stack)) {
    return { status: 'fail', message, action: 'Wait until CloudFormation has finished' };
  }
  switch (status) {
    case 'ROLLBACK_COMPLETE':
      return {
        status: 'warn',
        message: `${message}: its creation failed, and "cdk deploy" deletes it first`,
      };
    case 'CREATE_FAILED':
    case 'DELETE_FAILED':
    case 'ROLLBACK_FAILED':
      return {
        status: 'fail',
        message: `${message}: it cannot be updated`,
        action: `Run ${leftoversCommand(stackName, aws)} --remove, then npx cdk destroy`,
      };
    case 'UPDATE_FAILED':
    case 'UPDATE_ROLLBACK_FAILED':
    case 'IMPORT_ROLLBACK_FAILED':
      return { status: 'fail', message: `${message}: it cannot be updated`, action: 'Run npx cdk rollback' };
    default:
      return { status: 'ok', message: `${message}: the deployment updates it` };
  }
}

export const leftovers: Check = {
  name: 'leftovers',
  permissions: [
    'cloudformation:DescribeStacks',
    'cloudformation:ListStacks',
    'cloudformation:ListStackResources',
    'cloudformation:DescribeStackResources',
    'dynamodb:DescribeTable',
    'cognito-idp:DescribeUserPool',
    'sqs:GetQueueAttributes',
    'secretsmanager:DescribeSecret',
    'logs:DescribeLogGroups',
  ],
  async run({ settings: { stackName }, aws }) {
    const { found } = await findLeftovers(stackName, aws);
    if (found.length === 0) return { status: 'ok', message: 'No resources of former stacks remain' };
    return {
      status: 'warn',
      message: `Resources of former stacks remain: ${countByKind(found)}`,
      action: `Run ${leftoversCommand(stackName, aws)}, which shows what they contain`,
    };
  },
};

/** Such as `7 × table, 1 × user pool`. */
function countByKind(found: readonly Leftover[]): string {
  const names = found.map(({ kind }) => kind.name);
  return [...new Set(names)]
    .map((name) => `${names.filter((other) => other === name).length} × ${name}`)
    .join(', ');
}
