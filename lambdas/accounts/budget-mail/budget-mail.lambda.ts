/** Entry point of the function that EventBridge invokes with the events of budgets. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDirectoryReader } from '#lambdas/access/directory-store.ts';
import { sdkTimeLimits } from '#lambdas/platform/aws/sdk-time-limits.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { log, withLogContext } from '#lambdas/platform/telemetry/log.ts';
import { createSesMail } from '../ses-mail.ts';
import { createBudgetMailHandler } from './handler.ts';

const environment = readEnvironment('ACCOUNTS_TABLE', 'DIRECTORY_TABLE', 'DASHBOARD_ORIGIN', 'MAIL_FROM');
const client = createDocumentClient(new DynamoDBClient(sdkTimeLimits));
const accounts = { client, tableName: environment.ACCOUNTS_TABLE };

export const handler = withLogContext(
  createBudgetMailHandler({
    dashboardOrigin: environment.DASHBOARD_ORIGIN,
    accounts,
    directory: createDirectoryReader({ client, tableName: environment.DIRECTORY_TABLE }),
    sendMail: createSesMail(environment.MAIL_FROM),
    log,
  }),
);
