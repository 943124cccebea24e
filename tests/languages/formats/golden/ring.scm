scm ring :

nb_channels = 3 ;
/*# lossy: 1 #*/
/* stormproof: message last_one = "last one" */

parameters :
real token ;
real last_one ;

automaton A :

initial : 0

state 0 :
to 1 : when true , 0 ! token ;

state 1 :
to 0 : when true , 2 ? token ;
to 2 : when true , 2 ? last_one ;

state 2 :

automaton B :

initial : 0

state 0 :
to 1 : when true , 0 ? token ;

state 1 :
to 0 : when true , 1 ! token ;

automaton C :

initial : 0

state 0 :
to 1 : when true , 1 ? token ;

state 1 :
to 0 : when true , 2 ! token ;
to 2 : when true , 2 ! last_one ;

state 2 :
