import { useSignal } from '@preact/signals';
import { Copy } from '../parts/copy.tsx';
import { type Part, type PartName, partsOf } from './envelope-parts.ts';

const colourOf = (name: PartName) => ({ '--part': `var(--part-${name})` });

export function StoredValue({ stored }: { readonly stored: string }) {
  const active = useSignal<PartName>('key_id');
  const parts = partsOf(stored);
  const chosen = parts.find(({ name }) => name === active.value);
  const show = (name: PartName) => ({
    onMouseEnter: () => (active.value = name),
    onFocus: () => (active.value = name),
    onClick: (event: Event) => {
      event.preventDefault();
      active.value = name;
    },
  });
  return (
    <div class="stored">
      <div class="stored-head">
        <span>
          What you store: {stored.length} characters of base64, {parts.at(-1)?.end} bytes
        </span>
        <Copy text={stored} of="the stored value" />
      </div>
      <p class="stored-text" role="group" aria-label="The stored value, by fields">
        {parts.map(({ name, title, text }) => (
          <a
            key={name}
            href={`#part-${name}`}
            class="part"
            style={colourOf(name)}
            aria-current={active.value === name}
            aria-describedby="part-about"
            {...show(name)}
          >
            <span class="unseen">{title}: </span>
            {text}
          </a>
        ))}
      </p>
      {chosen && <Explained part={chosen} />}
      <ul class="legend" aria-hidden="true">
        {parts.map(({ name, title, start, end }) => (
          <li key={name} class={active.value === name ? 'active' : ''} style={colourOf(name)} {...show(name)}>
            <span class="swatch" />
            {title}
            <span class="soft">{end - start} B</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Explained({ part }: { readonly part: Part }) {
  const { name, title, start, end, shows, about } = part;
  return (
    <div class="explained" style={colourOf(name)} id="part-about">
      <h3>
        {title}
        <span class="soft">
          bytes {start} to {end - 1}
        </span>
      </h3>
      <p>{about}</p>
      <code>{shows}</code>
    </div>
  );
}
