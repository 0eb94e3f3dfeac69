import { startEnvironment } from './harness/environment.ts';
import { measureTranslated, translatedTable } from './overhead/translated.ts';

const environment = await startEnvironment();
try {
  console.log(translatedTable(await measureTranslated(environment, 3)));
} finally {
  await environment.stop();
}
