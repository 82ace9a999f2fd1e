// The looks of the page /docs: those of the console, whose `styles/tokens.css` has the same values.

export const tokens: Readonly<Record<'light' | 'dark', Readonly<Record<string, string>>>> = {
  light: {
    ground: '#ffffff',
    surface: '#f8f8fa',
    line: '#e5e6eb',
    ink: '#15171c',
    soft: '#5b6070',
    accent: '#3f51d6',
    'accent-strong': '#3241b8',
    'accent-wash': '#eef0fd',
    good: '#116b3f',
    warn: '#815300',
    bad: '#b3261e',
    'code-text': '#116b3f',
    'code-number': '#9a4a00',
    sans: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
    mono: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace",
  },
  dark: {
    ground: '#0f1115',
    surface: '#16181e',
    line: '#272b34',
    ink: '#ebedf2',
    soft: '#a0a7b7',
    accent: '#97a5ff',
    'accent-strong': '#b4beff',
    'accent-wash': '#1d2240',
    good: '#6fd3a0',
    warn: '#eec06a',
    bad: '#ff9b92',
    'code-text': '#7fd3a5',
    'code-number': '#f0b27a',
  },
};

export const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%233f51d6'/%3E%3Cpath d='M5 4.5h6M5 8h4.5M5 11.5h6' stroke='%23fff' stroke-width='1.6' stroke-linecap='round'/%3E%3C/svg%3E";

const declared = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');

export const style = `
:root{color-scheme:light dark;${declared(tokens.light)}}
@media(prefers-color-scheme:dark){:root{${declared(tokens.dark)}}}
*{box-sizing:border-box}
html{scroll-padding-top:5rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:400 .9375rem/1.6 var(--sans);-webkit-font-smoothing:antialiased}
a{color:var(--accent);text-underline-offset:.18em;text-decoration-thickness:1px}a:hover{color:var(--accent-strong)}
:is(nav,h3,.codes) a{text-decoration:none}:is(nav,h3,.codes) a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:5px}
.skip{position:fixed;z-index:3;top:.5rem;left:.5rem;padding:.5rem .875rem;border-radius:8px;background:var(--ink);color:var(--ground);transform:translateY(-200%)}.skip:focus{color:var(--ground);transform:none}
.top{position:sticky;z-index:2;top:0;display:flex;align-items:center;gap:1.75rem;height:3.5rem;padding:0 clamp(1rem,4vw,2.5rem);border-bottom:1px solid var(--line);background:var(--ground)}
.brand{display:flex;align-items:center;gap:.5rem;font-weight:650;letter-spacing:-.02em}
.brand::before{width:1.125rem;height:1.125rem;border-radius:.3rem;background:var(--accent);content:''}
.top ul{display:flex;gap:.25rem;list-style:none;margin:0;padding:0}
.top li a{display:flex;align-items:center;position:relative;height:3.5rem;padding:0 .625rem;color:var(--soft);font-size:.875rem;white-space:nowrap}
.top li a:hover{color:var(--ink);text-decoration:none}.top li a[aria-current]{color:var(--ink);font-weight:550}.top li a:focus-visible{outline-offset:-4px}
.top li a[aria-current]::after{position:absolute;right:.625rem;bottom:-1px;left:.625rem;height:2px;background:var(--accent);content:''}
code,pre{font-family:var(--mono);font-size:.875em}
:not(pre)>code{background:var(--surface);border-radius:4px;padding:.1em .32em;overflow-wrap:anywhere}
.layout{display:grid;grid-template-columns:17rem minmax(0,1fr);max-width:100rem;margin:0 auto}
.contents{position:sticky;top:3.5rem;align-self:start;height:calc(100vh - 3.5rem);overflow-y:auto;scrollbar-width:thin;padding:1.25rem 1.25rem 3rem clamp(1rem,4vw,2.5rem);border-right:1px solid var(--line);font-size:.875rem}
.contents p{color:var(--soft);font-size:.8125rem;margin:1.4rem 0 .35rem;font-weight:550}
.contents ul{list-style:none;margin:0;padding:0}.contents li a{display:flex;gap:.5rem;align-items:baseline;padding:.16rem 0;color:var(--ink)}
.contents li b{font-size:.62rem;min-width:2.6rem;text-align:right}
.contents.narrow{display:none}
main{padding:2.5rem clamp(1rem,4vw,4rem) 6rem;min-width:0}
h1,h2,h3{font-weight:600;letter-spacing:-.014em;line-height:1.25}
h1{font-size:1.75rem;letter-spacing:-.022em;margin:0 0 .5rem}
h2{font-size:1.375rem;margin:0 0 .25rem}
h3{font-size:1.125rem;margin:0 0 .5rem}h3 a{color:inherit}
h4{font-size:.8125rem;color:var(--soft);margin:1.6rem 0 .4rem;font-weight:550}
.lead{font-size:1.0625rem;color:var(--soft);max-width:44rem;margin:.25rem 0 1.75rem}
.prose{max-width:46rem}.prose h2{font-size:1.125rem;margin:2rem 0 .5rem}
.group{margin-top:4.5rem;padding-top:2.25rem;border-top:1px solid var(--line)}.group>p{color:var(--soft);margin:0}
.call{display:grid;grid-template-columns:minmax(0,1.15fr) minmax(0,1fr);gap:clamp(1.5rem,3vw,3.5rem);padding:2.5rem 0;border-top:1px solid var(--line)}
.group>.call:first-of-type{border-top:0}
.route{margin:.2rem 0 .7rem;font-size:1rem}.route code{background:none;padding:0}.route i{font-style:normal;color:var(--soft)}
.method{font:700 .74rem/1 var(--mono);letter-spacing:.02em}
.get{color:var(--accent)}.post{color:var(--good)}.put{color:var(--warn)}.patch{color:var(--warn)}.delete{color:var(--bad)}
.pill{display:inline-block;margin:0 0 .4rem;font-size:.8rem;color:var(--soft)}
table{border-collapse:collapse;width:100%;font-size:.92rem}
td,th{text-align:left;vertical-align:top;padding:.6rem 0;border-top:1px solid var(--line)}
tbody tr:first-child>*{border-top:0}table.ruled tbody tr:first-child>*{border-top:1px solid var(--line)}.problems{margin-top:1.25rem}.problems th[scope=row]{width:17rem}.problems .status{width:14rem}
th[scope=row]{font-weight:400;width:38%;padding-right:1rem}
.prose .ruled th[scope=row]{width:11rem}
.ruled td+td,.ruled th+td{padding-left:1rem}
.ruled thead th{font-size:.8125rem;color:var(--soft);font-weight:500;border:0}
.ruled thead th+th{padding-left:1rem}
.fields th code{background:none;padding:0;color:var(--ink)}.fields small{font-size:1em;color:var(--soft)}
.fields p{margin:.1rem 0 0;color:var(--soft)}.type{font-size:.86rem}
.fields em{font-style:normal;font-size:.72rem;color:var(--bad);margin-left:.4rem}
.codes{display:flex;flex-wrap:wrap;gap:.4rem;margin:.2rem 0}
.codes a{font-size:.8rem;background:var(--surface);border-radius:999px;padding:.12rem .65rem;color:var(--ink)}.codes span{color:var(--soft)}
.example{position:sticky;top:5rem;align-self:start;min-width:0}.example h4:first-child{margin-top:.2rem}.example h4 span{color:var(--good)}
pre{margin:0;background:var(--surface);border:1px solid var(--line);border-radius:8px;padding:.75rem .875rem;font-size:.8125rem;line-height:1.65;white-space:pre-wrap;overflow-wrap:anywhere}
pre code{font-size:inherit}pre i{font-style:normal}.k{color:var(--accent)}.s{color:var(--code-text)}.w{color:var(--code-number)}
.status{color:var(--soft)}tr:target td,tr:target th{background:var(--accent-wash)}.call:target h3 a{color:var(--accent)}
footer{margin-top:5rem;padding-top:1.5rem;border-top:1px solid var(--line);color:var(--soft);font-size:.9rem}
@media(max-width:75rem){.call{grid-template-columns:minmax(0,1fr)}.example{position:static}}
@media(max-width:52rem){.layout{display:block}.contents.wide{display:none}.contents.narrow{display:block;position:static;height:auto;border-right:0;border-bottom:1px solid var(--line);padding:.7rem clamp(1rem,4vw,2.5rem)}
.contents summary{cursor:pointer}.contents details[open]{padding-bottom:1rem}.contents li b{min-width:2.2rem;text-align:left}.contents li a{padding:.35rem 0}
.top{gap:1rem}.top li a{padding:0 .5rem}
main{padding-top:1.75rem}h1{font-size:1.5rem}th[scope=row]{width:42%}.group{margin-top:3rem}
.problems tbody,.problems tr,.problems td,table.problems th[scope=row]{display:block;width:auto;padding:0;border:0}.problems td+td,.problems th+td{padding:0}
.problems thead{display:none}table.problems tbody tr:first-child>*{border:0}table.problems td.status{width:auto}.problems tr{padding:.7rem 0;border-top:1px solid var(--line)}}
@media print{.top,.contents{display:none}.layout{display:block}.call{break-inside:avoid}}
`;
