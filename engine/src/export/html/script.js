const all=[...document.querySelectorAll('details:not([data-print])')],button=document.querySelector('button');
let was=null;
button.hidden=false;
button.onclick=()=>{was=all.map(d=>d.open);all.forEach(d=>d.open=true);print()};
addEventListener('afterprint',()=>{if(was)all.forEach((d,i)=>d.open=was[i]);was=null});
for(const plot of document.querySelectorAll('.hover')){
 const svg=plot.querySelector('svg'),out=plot.closest('section').querySelector('output'),idle=out.innerHTML,ring=svg.querySelector('.ring'),marks=[...svg.querySelectorAll('use')];
 const clear=()=>{out.innerHTML=idle;ring.style.opacity=0};
 svg.onpointerleave=clear;
 svg.onpointermove=svg.onpointerdown=e=>{
  const box=svg.getBoundingClientRect();let near=null,least=22;
  for(const m of marks){const d=Math.hypot(m.x.baseVal.value-e.clientX+box.left,m.y.baseVal.value-e.clientY+box.top);if(d<least){least=d;near=m}}
  if(!near)return clear();
  ring.setAttribute('cx',near.x.baseVal.value);ring.setAttribute('cy',near.y.baseVal.value);ring.style.opacity=1;
  out.textContent=near.querySelector('title').textContent}}
