import { Tabs } from '@base-ui/react/tabs';
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { useCopying } from '#dashboard/components/copying.ts';
import { OperationSwitch } from './operation-switch.tsx';
import {
  type SnippetLanguage,
  type SnippetOperation,
  type SnippetValues,
  snippetLanguages,
  snippets,
} from './snippets.ts';

interface SnippetTabsProps {
  title?: string;
  values: Pick<SnippetValues, 'baseUrl' | 'key'>;
  models: Record<SnippetOperation, string>;
  onCopied?: () => void;
}

/** Code with the key for each operation, in several languages. */
export function SnippetTabs({ title = 'Use it in your code', values, models, onCopied }: SnippetTabsProps) {
  const [language, setLanguage] = useState<SnippetLanguage>('curl');
  const [operation, setOperation] = useState<SnippetOperation>('chat.completions');
  const codeIn = (each: SnippetLanguage) =>
    snippets[each]({ ...values, operation, model: models[operation] });
  return (
    <section aria-labelledby="snippets-title" className="flex flex-col gap-2">
      <div className="flex items-center justify-between gap-3">
        <h3 id="snippets-title" className="font-medium">
          {title}
        </h3>
        <OperationSwitch value={operation} onValueChange={setOperation} />
      </div>
      <Tabs.Root
        value={language}
        onValueChange={setLanguage}
        className="overflow-hidden rounded-lg border border-line bg-canvas"
      >
        <div className="flex items-center justify-between gap-2 border-b border-line bg-surface pr-1.5">
          <Tabs.List aria-label="Language" className="relative flex h-11 items-stretch gap-1 px-2">
            {snippetLanguages.map((each) => (
              <Tabs.Tab
                key={each}
                value={each}
                className="rounded-md px-2.5 text-[0.8125rem] font-medium text-muted transition-colors hover:text-text focus-visible:-outline-offset-4 data-active:text-text"
              >
                {each}
              </Tabs.Tab>
            ))}
            <Tabs.Indicator className="absolute -bottom-px left-0 h-0.5 w-(--active-tab-width) translate-x-(--active-tab-left) bg-accent transition-[translate,width] duration-150 ease-out" />
          </Tabs.List>
          <CopyCode language={language} code={codeIn(language)} onCopied={onCopied} />
        </div>
        {snippetLanguages.map((each) => (
          <Tabs.Panel key={each} value={each} tabIndex={-1}>
            <pre
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
              tabIndex={0}
              className="h-61 overflow-auto px-4 py-3 font-mono text-[0.8125rem]/5 focus-visible:-outline-offset-2"
            >
              <code>{codeIn(each)}</code>
            </pre>
          </Tabs.Panel>
        ))}
      </Tabs.Root>
    </section>
  );
}

interface CopyCodeProps {
  language: SnippetLanguage;
  code: string;
  onCopied?: () => void;
}

function CopyCode({ language, code, onCopied }: CopyCodeProps) {
  const { copied, copy } = useCopying(code);
  useEffect(() => {
    if (copied) onCopied?.();
  }, [copied, onCopied]);
  return (
    <>
      <Button size="small" aria-label={`Copy ${language} code`} onClick={copy}>
        {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        {copied ? 'Copied' : 'Copy'}
      </Button>
      <span role="status" className="sr-only">
        {copied && 'Copied'}
      </span>
    </>
  );
}
