# Function definitions; what `declare -f` prints for each is in syntax_functions.out.
f1() { echo a; echo b
echo c; }
f2() ( echo a; echo b )
f3() { if a; then b; elif c; then d; else e; fi; }
f4() { for x in 1 2; do echo $x; done; for x; do :; done; for ((i=0;i<3;i++)); do echo; done; select y in a; do :; done; }
f5() { while a; do b; c; done; until a; do b; done < x; }
f6() { case $x in a|b) echo 1; echo 2;; (c) ;; d) x ;& e) y;;& *) z; esac; }
f7() { a | b |& c; a && b || c; ! a; time a; time -p a | b; a & b & c; }
f8() { (a; b); { c; d; }; ((x+1)); [[ a == b && ( -f c || ! d ) ]]; }
f9() { cat <<EOF
a
EOF
cat <<-'X' | cat <<Y
	q
	X
z
Y
echo x; }
f10() { a > x 2>&1 < y >> z <> w >| v &> u &>> t 3>&- 4<&1- {fd}>x <<< "a b" >&2 2>$x; }
f11() { x=1 y=(a b [3]=c) z+=2 a[1]=3 cmd "a b" 'c d' $'e\nf' $"g" \h; }
f12() { function g { echo; }; h() { echo h; }; coproc X { a; }; coproc b { c; }; }
f13() { echo $( a;  b ) `c  d` "$( e |f )" ${x:-$(  g )} $(( 1+2 )) <( h  ); }
f14() { a; } > out 2>&1
f15() { { a; } > x; (b) < y; if a; then b; fi > z; }
f16() { if { a; b; }; then ( c; d ) & fi; }
f17() { a && { b; c; } || ( d ); }
f18() { while :; do if a; then b; fi; done | while read x; do y; done; }
f19() { a & }
f20() { if a & then b & fi; }
f21() { a \
b; "x\
y"; }
f22() { case x in esac; }
f23() { case a in b) if x; then y; fi;; esac; }
f24() { declare -a x=(1 2); local y=$z; export q; }
f25() { [[ -n $x && $y =~ a(b|c) || ! -f z ]]; [[ a ]]; [[ ! ( a && b ) ]]; [[ a -eq 1 ]]; }
f26() { for x in a b
do
a; b
done; for ((;;)) { c; }; for ((i = 0 ; ; )); do x; done ; }
f27() { echo {a,b} ~ *.c @(a|b); }
f28() { a
b &
c && d
e | f
(g)
{ h; }
if i; then j; fi
k; }
f29() { echo a;
}
f30() { ( ( a ) ); ( a ) | { b; }; { a; } & ( b ) & }
f31() { ! a | b; ! { a; }; time { a; }; time; ! ; }
f32() { a | if b; then c; fi | while d; do e; done; }
f33() { $(cat <<E
foo
E
); }
f34() { foo "$(cat <<E
foo
E
)" bar; }
f36() { cat <<A && cat <<B
a
A
b
B
}
f37() { cat <<A | tr a b | cat -n
a
A
}
f38() { cat <<A &
a
A
}
f39() { while read x; do echo $x; done <<A
a
A
}
f40() { (( a = 1 , b )); (( x[1] )) && ((  y )); }
f41() { x=$(a
b;c & d
e &
f); y=$( (a) ); z=$( ( a; b ) | c ); w=$({ a; b; }); v=$(if a; then b; fi); }
f42() { x=$(<  file); x=$( ); x=$(# comment
a # b
); x="$( echo "a  b" 'c  d' )"; }
f43() { x=$(for i in a b; do c; d; done); x=$(case a in b) c;; esac); x=$(while a; do b; done | c); }
f44() { x=$(f() { a; b; }; f); x=$(a && b || c; d); x=$(cat <<E
foo
E
echo b); }
f45() { x=$(( $( a  ) + 1 )); y=${a[$( b  )]}; z=${a:$( c  ):2}; ((  x = $( d  ) )); a[$( e )]=1; b=(  1   2 $( f )
# c
3 ); declare c=(  1
2 ); }
f46() { [[ $( a  ) == "$( b )" ]]; case $( c ) in $( d )) ;; esac; for i in $( e ); do f; done; a > $( g ); }
f47() { cat <<E
$( a   )
`b  `
E
cat <<< $( c  ); }
f48() { if cat <<A; then b; fi
a
A
}
f49() { while cat <<A; do b; done
a
A
}
f50() { a && { cat <<A; }
a
A
b; }
f51() { x && ( cat <<A )
a
A
}
f52() { case a in b) cat <<A;; esac
a
A
}
f53() { a >& x; a >&2; a >&$x; a <&3; a <&-; a >&-; a 2>&1-; a &>x; a &>>x; a 1>x; a 0<x; a 5<>x; a >|x; a 2>|x; a {v}<&-; a {v}>&1; a >&1; a 1>&2; a 2>&$x; a 2<&$x; a <<< x; a 3<<<x; a 3<<E
q
E
}
f54() { cat <<"E F" <<\X <<'Y'Z
1
E F
2
X
3
YZ
}
f55() { "a
b" 'c
d' $'e\'f' \
g; echo $'a\nb'"$'x'" $"loc $x" ${x:-$'q\n'}; }
f56() { ! ! a; [[ ! ! a ]]; ! time a; time ! a; ! { a; } | b; }
f57() { a; 
b
}
f58() { for i in; do a; done; for i; do a; done; select i; do b; done; for ((i="1";i<2;)); do x; done; }
f59() { coproc a { b; } > c; coproc (d); coproc for i in a; do b; done; }
f60() { function a ( b ); function c { d; } > e; g() if h; then i; fi; j() ( k ) ; }
f61() { { a; }; { { b; }; }; ( { c; } ); if ( a ) then { b; } fi; }
f62() { a | ( b; c ) | { d; e; }; a && b | c || d & e; }
f63() { until ! a; do ! b; done; while a | b; do c | d; done; if ! a && b; then c; fi; }
f64() { x=(); x=([a]=b [c]+=d); x+=(e); x=("$@"); local -A y=([k]="v w"); }
f65() { a=1; b=2 c; d=3 > x; > y; e=4 5>z f 6>w; }
f66() { let "a=1" 'b = 2'; eval 'x y'; test a = b; [ a ]; }
f67() if a; then b; fi
f68() ( a; b ) > x
f69() [[ a == b ]]
f70() for i in a; do b; done
f71() ((a))
f72() { echo a # comment
# another
echo b; }
f73() { a & 
b; }
f74() { (a &); { a & }; (a & b); if a; then b & c; fi; }
f75() { ( cat <<E
x
E
); { cat <<E
x
E
}; }
f76() { [[ a < b ]]; [[ a > b ]]; [[ -z $x || ( a == b && ! c -nt d ) ]]; [[ a =~ ^(x|y)\ z$ ]]; [[ "a" != *.c ]]; [[ -v x[1] ]]; }
f77() { echo "$(a "$(b "c")")" "`d "e"`"; }
f78() { a 2>&1 |& b; { c; } |& d; c > x |& d; }
f79() { <(a) b; c >(d | e) <( f; g ); x=<( h ); }
f80() { case "a b" in "a b" | 'c' | $x ) y;; esac; }
f81() { time -p { a; b; } | c; time -- a; time for i in a; do b; done; }
f82() { a;b&&c||d&e|f; }
f83() { cat <<A; cat <<B; c
a
A
b
B
d; }
f84() { cat <<A &
a
A
b; }
f85() { if a; then cat <<A; fi; b
a
A
c; }
f86() { for i in a; do cat <<A; done
a
A
}
f87() { cat <<A || b
a
A
}
f88() { cat <<A | b &
a
A
c; }
f89() { a | cat <<A
a
A
}
f90() { a && cat <<A
a
A
b; }
f91() { a
cat <<A > x 2>&1
a
A
}
f92() { x=$(e &
f); x=$(e & f); x=$(a; e & 
f & ); x=$(a & b & c); x=$(a;
b); x=$(a
b;
c
); }
f93() { x=$( { e &
f; }; if a &
b
c; d; then e
f; fi ); }
f94() { x=$( a &
b
c & d
e ); x=$( ( a
b ) ); x=$(( a
b ) | c); x=$(for i in a; do b & c
d; done ); x=$(case a in b) c
d & e ;; f) g &
h;; esac); }
f95() { x=$(a &&
b ||
c |
d); x=$(! a; time b); x=$({ a
b; } > x ); x=$(f() { a
b & c; d; }
e); }
f97() { x=$(echo `a  b` "$( c  )" $'q\tr'); x="$(echo $'q\tr' 'a')"; x="${y:-$( c  )}"; x=${y/$( a  )/$( b  )}; echo "a`b $( c  )`"; }
f98() { x=$(coproc a { b; }); x=$(select i in a; do b; done); x=$(until a; do b; done); x=$(for ((;;)); do a; done); x=$([[ a && b ]]); x=$((a)); x=$( ((a)) ); x=$( ((a)); b ); }
f99() { echo $(a) <(a;
b) >( { c; } ) ; }
