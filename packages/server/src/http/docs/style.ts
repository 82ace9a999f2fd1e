export const style = `
:root{color-scheme:light dark;--bg:#fff;--raise:#f6f7f9;--line:#e3e6ea;--ink:#1b1f27;--soft:#5b6472;--link:#0b5cad;
--code:#f1f3f6;--dark:#f6f8fb;--key:#0b5cad;--str:#1a7348;--word:#9a3c00;--get:#0b6bcb;--post:#15803d;--put:#a16207;
--patch:#a16207;--delete:#c02626;--pill:#eef2f7}
@media(prefers-color-scheme:dark){:root{--bg:#0f1217;--raise:#151a21;--line:#252c36;--ink:#e4e8ee;--soft:#98a3b3;
--link:#7cb7ff;--code:#1b212a;--dark:#141920;--key:#7cb7ff;--str:#7dd3a0;--word:#f0a875;--get:#60a5fa;--post:#4ade80;
--put:#facc15;--patch:#facc15;--delete:#f87171;--pill:#1b222c}}
*{box-sizing:border-box}
html{scroll-padding-top:1.5rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.86em}
:not(pre)>code{background:var(--code);border-radius:4px;padding:.1em .32em;overflow-wrap:anywhere}
.layout{display:grid;grid-template-columns:17rem minmax(0,1fr);max-width:100rem;margin:0 auto}
nav{position:sticky;top:0;align-self:start;height:100vh;overflow-y:auto;padding:1.75rem 1.25rem 3rem 1.75rem;border-right:1px solid var(--line);font-size:.9rem}
nav .brand{display:block;font-weight:700;font-size:1.15rem;color:var(--ink);letter-spacing:-.01em;margin-bottom:1.25rem}
nav .brand small{font-weight:400;color:var(--soft);font-size:.8rem;margin-left:.35rem}
nav h2{font-size:.72rem;text-transform:uppercase;letter-spacing:.07em;color:var(--soft);margin:1.4rem 0 .35rem;font-weight:600}
nav ul{list-style:none;margin:0;padding:0}nav li a{display:flex;gap:.5rem;align-items:baseline;padding:.16rem 0;color:var(--ink)}
nav li b{font-size:.62rem;min-width:2.6rem;text-align:right}
nav.narrow{display:none}
main{padding:2.5rem clamp(1rem,4vw,4rem) 6rem;min-width:0}
h1{font-size:2.1rem;line-height:1.2;letter-spacing:-.02em;margin:0 0 .5rem}
h2{font-size:1.5rem;letter-spacing:-.01em;margin:0 0 .25rem}
h3{font-size:1.18rem;margin:0 0 .5rem}h3 a{color:inherit}
h4{font-size:.74rem;text-transform:uppercase;letter-spacing:.06em;color:var(--soft);margin:1.6rem 0 .4rem;font-weight:600}
.lead{font-size:1.1rem;color:var(--soft);max-width:44rem;margin:.25rem 0 1.75rem}
.prose{max-width:46rem}.prose h3{margin-top:2rem}
.group{margin-top:4.5rem;padding-top:2.25rem;border-top:1px solid var(--line)}.group>p{color:var(--soft);margin:0}
.call{display:grid;grid-template-columns:minmax(0,1.15fr) minmax(0,1fr);gap:clamp(1.5rem,3vw,3.5rem);padding:2.5rem 0;border-top:1px solid var(--line)}
.group>.call:first-of-type{border-top:0}
.route{margin:.2rem 0 .7rem;font-size:1rem}.route code{background:none;padding:0}.route i{font-style:normal;color:var(--soft)}
.method{font:700 .74rem/1 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;letter-spacing:.02em}
.get{color:var(--get)}.post{color:var(--post)}.put{color:var(--put)}.patch{color:var(--patch)}.delete{color:var(--delete)}
.pill{display:inline-block;margin:0 0 .4rem;font-size:.8rem;color:var(--soft)}
table{border-collapse:collapse;width:100%;font-size:.92rem}
td,th{text-align:left;vertical-align:top;padding:.6rem 0;border-top:1px solid var(--line)}
tbody tr:first-child>*{border-top:0}table.ruled tbody tr:first-child>*{border-top:1px solid var(--line)}.problems{margin-top:1.25rem}.problems th[scope=row]{width:17rem}.problems .status{width:14rem}
th[scope=row]{font-weight:400;width:38%;padding-right:1rem}
.prose .ruled th[scope=row]{width:11rem}
.ruled td+td,.ruled th+td{padding-left:1rem}
.ruled thead th{font-size:.74rem;text-transform:uppercase;letter-spacing:.06em;color:var(--soft);font-weight:600;border:0}
.ruled thead th+th{padding-left:1rem}
.fields th code{background:none;padding:0;color:var(--ink)}.fields small{font-size:1em;color:var(--soft)}
.fields p{margin:.1rem 0 0;color:var(--soft)}.type{font-size:.86rem}
.fields em{font-style:normal;font-size:.72rem;color:var(--delete);margin-left:.4rem}
.codes{display:flex;flex-wrap:wrap;gap:.4rem;margin:.2rem 0}
.codes a{font-size:.8rem;background:var(--pill);border-radius:999px;padding:.12rem .65rem;color:var(--ink)}.codes span{color:var(--soft)}
.example{position:sticky;top:1.5rem;align-self:start;min-width:0}.example h4:first-child{margin-top:.2rem}.example h4 span{color:var(--post)}
pre{margin:0;background:var(--dark);border:1px solid var(--line);border-radius:8px;padding:.9rem 1rem;line-height:1.55;white-space:pre-wrap;overflow-wrap:anywhere}
pre i{font-style:normal}.k{color:var(--key)}.s{color:var(--str)}.w{color:var(--word)}
.status{color:var(--soft)}tr:target td,tr:target th{background:var(--pill)}.call:target h3 a{color:var(--link)}
footer{margin-top:5rem;padding-top:1.5rem;border-top:1px solid var(--line);color:var(--soft);font-size:.9rem}
@media(max-width:75rem){.call{grid-template-columns:minmax(0,1fr)}.example{position:static}}
@media(max-width:52rem){.layout{display:block}nav.wide{display:none}nav.narrow{display:block;position:static;height:auto;border-right:0;border-bottom:1px solid var(--line);padding:.7rem 1rem}
nav .brand{margin:0;display:inline}nav summary{cursor:pointer}nav details[open]{padding-bottom:1rem}nav li b{min-width:2.2rem;text-align:left}nav li a{padding:.35rem 0}
main{padding-top:1.75rem}h1{font-size:1.7rem}th[scope=row]{width:42%}.group{margin-top:3rem}
.problems tbody,.problems tr,.problems td,table.problems th[scope=row]{display:block;width:auto;padding:0;border:0}.problems td+td,.problems th+td{padding:0}
.problems thead{display:none}table.problems tbody tr:first-child>*{border:0}table.problems td.status{width:auto}.problems tr{padding:.7rem 0;border-top:1px solid var(--line)}}
@media print{nav{display:none}.layout{display:block}.call{break-inside:avoid}}
`;
