/** The alarms, the topic that they notify, saved queries, and the CloudWatch dashboard. */

import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Construct } from 'constructs';
import { AlarmTopic } from './alarm-topic.ts';
import { createAlarm } from './alarms/alarm-definition.ts';
import { alarmDefinitions } from './alarms/alarms.ts';
import { CloudWatchDashboard } from './dashboard/cloudwatch-dashboard.ts';
import { operationQueries } from './queries/operation-queries.ts';
import { requestQueries } from './queries/request-queries.ts';
import { createSavedQuery } from './queries/saved-query.ts';
import type { MonitoredResources } from './resources.ts';

export class Monitoring extends Construct {
  /** Values of stack outputs by name. */
  readonly outputs: Record<string, string>;

  constructor(scope: Construct, id: string, resources: MonitoredResources) {
    super(scope, id);
    const { settings, stackName } = resources;
    const topic = new AlarmTopic(this, 'AlarmTopic', settings);
    const action = new SnsAction(topic);
    const alarmScope = new Construct(this, 'Alarms');
    const alarms = alarmDefinitions(resources).map((definition) => {
      const alarm = createAlarm(alarmScope, stackName, definition);
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
      return { severity: definition.severity, alarm };
    });

    const queryScope = new Construct(this, 'Queries');
    for (const query of [...requestQueries(resources), ...operationQueries(resources)])
      createSavedQuery(queryScope, stackName, query);

    this.outputs = { AlarmTopicArn: topic.topicArn };
    if (settings.monitoring !== 'all') return;
    const dashboard = new CloudWatchDashboard(this, 'Dashboard', { resources, alarms });
    this.outputs.MonitoringDashboardUrl = dashboard.url;
  }
}
