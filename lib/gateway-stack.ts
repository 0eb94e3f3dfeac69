import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { GatewayRestApi } from './api/rest-api.ts';
import { Dashboard } from './dashboard/dashboard.ts';
import { AuditTrailTable } from './data/audit-trail-table.ts';
import { ProviderSecret } from './data/provider-secret.ts';
import {
  BudgetCountersTable,
  ConversationStateTable,
  CostRollupsTable,
  DirectoryTable,
  LogEntriesTable,
  PricesTable,
} from './data/tables.ts';
import { BudgetChanges } from './functions/budget-changes.ts';
import { Canary } from './functions/canary.ts';
import { ChatFunction } from './functions/chat-function.ts';
import { ModelsFunction, ReportFunctions } from './functions/json-functions.ts';
import { LogRecovery } from './functions/log-recovery.ts';
import { Maintenance } from './functions/maintenance.ts';
import { RollupFunction } from './functions/rollup-function.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import type { Settings } from './settings/settings.ts';

interface GatewayStackProps extends StackProps {
  settings: Settings;
}

export class GatewayStack extends Stack {
  constructor(scope: Construct, id: string, { settings, ...props }: GatewayStackProps) {
    super(scope, id, {
      description: 'AI gateway: chat completions, responses, embeddings, messages, request logs and costs',
      ...props,
    });
    const { logRetentionDays: logRetention, entryRetentionDays, auditRetentionDays } = settings;

    const directory = new DirectoryTable(this, 'Directory');
    const logEntries = new LogEntriesTable(this, 'LogEntries', settings);
    const costRollups = new CostRollupsTable(this, 'CostRollups');
    const prices = new PricesTable(this, 'Prices');
    const budgetCounters = new BudgetCountersTable(this, 'BudgetCounters');
    const conversationState = new ConversationStateTable(this, 'ConversationState');
    const auditTrail = new AuditTrailTable(this, 'AuditTrail', { auditRetentionDays });
    const providerSecret = new ProviderSecret(this, 'ProviderSecret');

    const logRecovery = new LogRecovery(this, 'LogRecovery', {
      settings,
      logEntries,
      costRollups,
      prices,
    });
    const chat = new ChatFunction(this, 'Chat', {
      settings,
      directory,
      logEntries,
      logRecovery,
      prices,
      budgetCounters,
      conversationState,
      providerSecret,
    });
    const models = new ModelsFunction(this, 'Models', { settings, directory, providerSecret });
    const reports = new ReportFunctions(this, 'Reports', {
      settings,
      directory,
      logEntries,
      costRollups,
      prices,
    });
    const rollup = new RollupFunction(this, 'CostRollup', {
      settings,
      logEntries,
      costRollups,
      budgetCounters,
    });
    const budgetChanges = new BudgetChanges(this, 'BudgetChanges', {
      settings,
      directory,
      logEntries,
      costRollups,
      budgetCounters,
    });
    const maintenance =
      settings.monitoring === 'off'
        ? null
        : new Maintenance(this, 'Maintenance', {
            settings,
            chat,
            logRecovery,
            directory,
            logEntries,
            costRollups,
            prices,
          });
    const restApi = new GatewayRestApi(this, 'RestApi', {
      logRetention,
      chatConcurrency: settings.chatConcurrency,
      allowedOrigins: settings.allowedOrigins,
      tracing: settings.tracing,
      chat,
      models,
      reports,
      hasDashboard: settings.dashboard,
    });
    const data = { directory, logEntries, budgetCounters, costRollups, prices, auditTrail, providerSecret };
    const dashboard = settings.dashboard
      ? new Dashboard(this, 'Dashboard', { settings, restApi, ...data })
      : null;
    const canary =
      settings.canary === null
        ? null
        : new Canary(this, 'Canary', {
            settings,
            canary: settings.canary,
            directory,
            auditTrail,
            apiBaseUrl: restApi.baseUrl,
            chatUrl: chat.url,
          });
    const functions = { chat, models, reports, logRecovery, rollup, budgetChanges };
    const monitored = {
      ...{ settings, stackName: this.stackName, restApi, dashboard, conversationState },
      ...functions,
      ...data,
    };
    const monitoring =
      maintenance === null
        ? null
        : new Monitoring(this, 'Monitoring', { ...monitored, maintenance, canary: canary?.function ?? null });

    this.addOutputs({
      ApiBaseUrl: restApi.baseUrl,
      ChatUrl: chat.url,
      DirectoryTableName: directory.tableName,
      LogEntriesTableName: logEntries.tableName,
      CostRollupsTableName: costRollups.tableName,
      PricesTableName: prices.tableName,
      BudgetCountersTableName: budgetCounters.tableName,
      AuditTrailTableName: auditTrail.tableName,
      ProviderSecretArn: providerSecret.secretArn,
      // For admin commands, which apply the same prices and retention as the functions.
      ProviderSettings: JSON.stringify(settings.providers),
      EntryRetentionDays: String(entryRetentionDays),
      AuditRetentionDays: String(auditRetentionDays),
      // For `logs recover`, `rollups replay` and `budget retry`, which process what did not reach its table.
      ChatLogGroupName: chat.logGroupName,
      LostEntriesQueueUrl: logRecovery.queue.queueUrl,
      LostEntriesDeadLetterQueueUrl: logRecovery.deadLetterQueue.queueUrl,
      RollupDeadLetterQueueUrl: rollup.deadLetterQueue.queueUrl,
      BudgetChangesDeadLetterQueueUrl: budgetChanges.deadLetterQueue.queueUrl,
      ...dashboard?.outputs,
      ...monitoring?.outputs,
    });
  }

  private addOutputs(values: Record<string, string>): void {
    for (const [name, value] of Object.entries(values)) new CfnOutput(this, name, { value });
  }
}
